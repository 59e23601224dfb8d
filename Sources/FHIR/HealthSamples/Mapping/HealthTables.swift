/// The tables of HealthKit's types, their codes and units, part of the program: no file is looked for at run
/// time.
///
/// Own mappings have the same form; `HealthMapping` in the module `HealthSamples` describes it.
public enum HealthTables {
    /// `mapping.json`.
    public static var mapping: [UInt8] { Array(HealthFiles.mapping.utf8) }

    /// `sample.schema.json`, the JSON Schema of one line of samples.
    public static var sampleSchema: [UInt8] { Array(HealthFiles.sample.utf8) }
}
