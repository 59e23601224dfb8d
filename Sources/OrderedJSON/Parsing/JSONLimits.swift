/// How much of everything a text may have before parsing it stops with an error that names the limit.
public struct JSONLimits: Sendable, Hashable {
    /// Arrays and objects inside each other. 512 unless set.
    public var depth = 512
    /// Bytes of the text. 256 MiB unless set; never more than 512 MiB.
    public var bytes = 256 * 1_024 * 1_024
    /// Values and names of members together. 32 Mi unless set; each takes 8 bytes of memory.
    public var nodes = 32 * 1_024 * 1_024
    /// Characters of one number. 1,024 unless set.
    public var numberLength = 1_024

    /// The default limits.
    public init() {}
}
