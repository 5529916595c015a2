"""Reading of answers: schemas, decoding, placing, merging and verification of findings."""
