import Foundation
import StudyDelivery
import UserNotifications

/// The schedule's reminders as notifications of the system.
enum Reminders {
    /// Replaces all reminders. The system keeps 64: call this when the app is opened and when a task is done.
    ///
    /// - Parameter titles: By the tasks' ids.
    static func replace(by reminders: [TaskNotification], titles: [String: String], in zone: TimeZone) async {
        let center = UNUserNotificationCenter.current()
        guard (try? await center.requestAuthorization(options: [.alert, .sound])) == true else { return }
        center.removeAllPendingNotificationRequests()
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        for reminder in reminders {
            let content = UNMutableNotificationContent()
            content.title = titles[reminder.taskID] ?? "Sleep Study"
            content.body = reminder.isReminder ? "This is still to be done." : "This is due today."
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: reminder.date)
            let trigger = UNCalendarNotificationTrigger(dateMatching: parts, repeats: false)
            let request = UNNotificationRequest(identifier: reminder.id, content: content, trigger: trigger)
            try? await center.add(request)
        }
    }

    static func remove() { UNUserNotificationCenter.current().removeAllPendingNotificationRequests() }
}
