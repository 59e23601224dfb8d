import Foundation

// Declares what the example app uses of Apple's UserNotifications, from Apple's documentation, so that Linux type-checks it.
// Nothing runs.

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var sound: UNAuthorizationOptions { fatalError() }
    public static var alert: UNAuthorizationOptions { fatalError() }
}

open class UNNotificationContent: NSObject {}

open class UNMutableNotificationContent: UNNotificationContent {
    public var title = ""
    public var body = ""
}

open class UNNotificationTrigger: NSObject {}

open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) { fatalError() }
}

open class UNNotificationRequest: NSObject {
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        fatalError()
    }
}

open class UNUserNotificationCenter: NSObject {
    public class func current() -> UNUserNotificationCenter { fatalError() }
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        fatalError()
    }
    public func add(_ request: UNNotificationRequest) async throws { fatalError() }
    public func removeAllPendingNotificationRequests() { fatalError() }
}
