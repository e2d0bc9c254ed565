"""Turn text into models and say where in the text a mistake stands."""
