// IndivoSandbox
