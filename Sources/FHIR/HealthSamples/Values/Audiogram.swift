import FHIR

/// The quietest tones that somebody heard. (HealthKit's `HKAudiogramSample`.)
public struct Audiogram: Sendable, Hashable {
    /// What one ear heard of a tone.
    public struct Ear: Sendable, Hashable {
        /// The level of the quietest tone, such as 15 `dBHL`.
        public var sensitivity: SampleQuantity
        /// Whether noise kept the other ear from hearing the tone; nil where it is not told.
        public var isMasked: Bool?
        /// The least level that the test could tell, in the unit of the sensitivity.
        public var lowerBound: FHIRDecimal?
        /// The greatest level that the test could tell, in the unit of the sensitivity.
        public var upperBound: FHIRDecimal?

        /// What an ear heard.
        public init(sensitivity: SampleQuantity) { self.sensitivity = sensitivity }
    }

    /// What the ears heard of a tone.
    public struct Point: Sendable, Hashable {
        /// The tone, such as 1000 `Hz`.
        public var frequency: SampleQuantity
        /// The left ear; nil where it was not tested.
        public var leftEar: Ear?
        /// The right ear; nil where it was not tested.
        public var rightEar: Ear?

        /// A tone that no ear was tested with yet.
        public init(frequency: SampleQuantity) { self.frequency = frequency }

        /// The ears by their names, the left one first.
        static var ears: [(name: String, path: WritableKeyPath<Point, Ear?> & Sendable)] {
            [("leftEar", \.leftEar), ("rightEar", \.rightEar)]
        }
    }

    /// The tones, in the order that they were written in.
    public var points: [Point]

    /// HealthKit has at most 30.
    static let pointLimit = 1000

    /// An audiogram.
    public init(points: [Point]) { self.points = points }
}
