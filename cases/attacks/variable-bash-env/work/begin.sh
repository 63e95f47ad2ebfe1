: > pwned
