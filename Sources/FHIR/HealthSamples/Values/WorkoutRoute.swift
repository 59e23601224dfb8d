import FHIR

/// The way of a workout, as a phone or watch located it. (HealthKit's `HKWorkoutRoute`; a GPX file in Apple's
/// export.)
public struct WorkoutRoute: Sendable, Hashable {
    /// A place on the way. The digits are those that were written.
    public struct Location: Sendable, Hashable {
        /// When it was passed, with a time and a zone.
        public var time: FHIRDateTime
        /// Degrees north of the equator, from -90 to 90. (WGS 84.)
        public var latitude: FHIRDecimal
        /// Degrees east of Greenwich, from -180 to 180. (WGS 84.)
        public var longitude: FHIRDecimal
        /// Metres above the level of the sea.
        public var altitude: FHIRDecimal?
        /// Metres a second; negative where it was not known.
        public var speed: FHIRDecimal?
        /// Degrees clockwise from north; negative where it was not known.
        public var course: FHIRDecimal?
        /// The radius in metres in which the place lies; negative where it was not known.
        public var horizontalAccuracy: FHIRDecimal?
        /// Metres by which the altitude may be wrong; negative where it was not known.
        public var verticalAccuracy: FHIRDecimal?

        /// A place.
        public init(time: FHIRDateTime, latitude: FHIRDecimal, longitude: FHIRDecimal) {
            self.time = time
            self.latitude = latitude
            self.longitude = longitude
        }

        /// A member of the JSON and its property.
        static var members: [(name: String, path: WritableKeyPath<Location, FHIRDecimal?> & Sendable)] {
            [
                ("altitude", \.altitude), ("speed", \.speed), ("course", \.course),
                ("horizontalAccuracy", \.horizontalAccuracy), ("verticalAccuracy", \.verticalAccuracy),
            ]
        }

        /// - Throws: ``SampleError`` for a place that is not on the earth.
        func check() throws(SampleError) {
            for (name, value, limit) in [("latitude", latitude, 90.0), ("longitude", longitude, 180.0)]
            where !(abs(value.double) <= limit) {
                throw .malformed(name: name, expected: "from -\(Int(limit)) to \(Int(limit))")
            }
        }
    }

    /// The ``Sample/identity`` of the workout that it belongs to; nil where that is not known.
    public var workout: String?
    /// The places, in the order that they were written in.
    public var locations: [Location]

    /// More than two days of a place a second.
    static let locationLimit = 200_000

    /// A way.
    public init(workout: String? = nil, locations: [Location]) {
        self.workout = workout
        self.locations = locations
    }
}
