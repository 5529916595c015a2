"""HTTP client for forges: pagination, ETags, rate limits, and no request sent twice that may have arrived."""
