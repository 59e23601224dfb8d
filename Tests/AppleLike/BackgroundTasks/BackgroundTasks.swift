import Foundation

// Declares what the example app uses of Apple's BackgroundTasks, from Apple's documentation, so that Linux type-checks it.
// Nothing runs.

open class BGTaskRequest: NSObject {
    public var identifier: String { fatalError() }
    public var earliestBeginDate: Date?
}

open class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) { fatalError() }
}

open class BGTaskScheduler: NSObject {
    public class var shared: BGTaskScheduler { fatalError() }
    public func submit(_ taskRequest: BGTaskRequest) throws { fatalError() }
}
