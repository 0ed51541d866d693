"""Many games at once for learners, as the vector environments of training libraries."""
