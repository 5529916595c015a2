"""HTTP as forges speak it: pages, tags, limits that are obeyed, and nothing sent twice that could have arrived."""
