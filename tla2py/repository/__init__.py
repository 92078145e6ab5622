"""What a sweep file from an untrusted repository may name."""
