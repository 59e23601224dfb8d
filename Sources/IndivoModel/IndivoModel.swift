// IndivoModel
