"""Secret scanning: finding secrets in text, and hiding them."""
