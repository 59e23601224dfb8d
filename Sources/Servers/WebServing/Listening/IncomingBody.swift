import Foundation

/// A body on its way in, within the limit of one body, the budget of all, and the pace at which it has to
/// come. Its share of the budget grows as bytes come: who announces a body and sends none takes nothing, and
/// who holds much and stops gives it back soon.
struct IncomingBody {
    /// What a body may have without a pace: little of the budget, however many connections there are.
    static let free = 64 << 10
    /// The time over which the least rate is measured. Phones lose their network for some seconds when they
    /// change it.
    static let window = Duration.seconds(10)

    private let connections: OpenConnections
    private let file: Int32
    private let settings: HTTPListener.Configuration
    private var end: OpenConnections.Instant
    private(set) var data = Data()
    /// The response to a body that was not kept.
    private(set) var refusal: Response?
    /// What it has of the budget.
    private var share = 0
    private var size = 0
    /// What has to come until the window ends.
    private var left = 0

    init(_ connections: OpenConnections, _ file: Int32, _ settings: HTTPListener.Configuration) {
        self.connections = connections
        self.file = file
        self.settings = settings
        end = connections.now()
    }

    /// The body is about to come: its time begins.
    mutating func begin() { end = connections.enter(.receiving, file, for: .seconds(settings.timeout)) }

    /// Takes bytes, and keeps them while there is room.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        size += bytes.count
        keep(bytes)
        // When a window's share has come, the next window begins.
        left -= bytes.count
        guard settings.bodyRate > 0, size > Self.free, left <= 0 else { return }
        left = settings.bodyRate * Int(Self.window.components.seconds)
        connections.enter(.receiving, file, for: min(connections.now().duration(to: end), Self.window))
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        guard refusal == nil else { return }
        if size > settings.bodyLimit {
            refusal = settings.tooLarge
        } else if size <= share || connections.reserve(size - share, for: &share) {
            return data.append(contentsOf: bytes)
        } else {
            refusal = settings.overloaded
        }
        data = Data()
        giveBack()
    }

    /// Gives its share of the budget back.
    mutating func giveBack() {
        connections.release(share)
        share = 0
    }
}
