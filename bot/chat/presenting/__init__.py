"""From what happened to what is said: facts and refusals become views, in one language, purely."""
