extension IndivoDocument {
    /// The properties that have a value, in the order of their declaration; of a list also how many.
    package final func presentProperties() throws -> [String] {
        let isModel = type(of: self).format.isDataModel
        let table = isModel ? try content() : FieldTable(self)
        return table.schema.fields.compactMap { field in
            if let relation = field.relation {
                let count = table.relations[relation].items.count
                if count == 0 { return nil }
                return field.shape.isList ? "\(field.property) (\(count))" : field.property
            }
            if !isModel, let group = field.group { return table.groups[group].isPresent ? field.property : nil }
            let isUnderstood = field.leaves.contains { index in
                isModel ? table.leaves[index].hasText && !table.isUnreadable(index) : table.leaves[index].isPresent
            }
            return isUnderstood ? field.property : nil
        }
    }
}
