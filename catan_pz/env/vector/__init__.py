"""Many games at once for learners, in the forms that training libraries take."""
