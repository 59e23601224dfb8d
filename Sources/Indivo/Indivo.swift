// Indivo
