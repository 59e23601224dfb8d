/// The members of a file's correlations, as a hash of 64 bits each: to leave them out where the export
/// repeats them as records.
struct ExportMembers {
    private var types: Set<String> = []
    private var keys: [UInt64] = []

    /// More members than anybody records. Beyond this limit, reading fails rather than return samples twice.
    static let limit = 4 << 20

    init() {}

    init(file: String, names: ExportCategory, source: ByteSource, _ usesFastTagPath: Bool) throws {
        let reader = ExportReader(
            file: file,
            names: names,
            correlationsOf: source,
            usesFastTagPath: usesFastTagPath
        )
        while let item = try reader.next() {
            guard case .sample(let sample, let line) = item else { continue }
            for member in sample.members {
                types.insert(member.type)
                keys.append(Self.key(of: member))
            }
            guard keys.count <= Self.limit else {
                throw SampleProblem(
                    file: file,
                    line: line,
                    reason: "the correlations have more than \(Self.limit) members"
                )
            }
        }
        keys.sort()
    }

    func contains(_ sample: Sample) -> Bool {
        guard !keys.isEmpty, types.contains(sample.type) else { return false }
        let key = Self.key(of: sample)
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key
    }

    /// FNV-1a of what makes a sample the same one.
    private static func key(of sample: Sample) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in sample.fingerprint.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
