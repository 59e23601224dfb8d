// IndivoTesting
