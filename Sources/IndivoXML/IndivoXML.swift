// IndivoXML
