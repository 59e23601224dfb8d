import SwiftUI

@main
struct StudyApp: App {
    @State private var model = AppModel()
    @Environment(\.scenePhase) private var scenePhase

    var body: some Scene {
        WindowGroup {
            RootView(model: model)
                .task { await model.start() }
        }
        // The task is cancelled when the time is over; an interrupted submission is sent again later.
        .backgroundTask(.appRefresh(Delivery.taskIdentifier)) { await model.deliverInBackground() }
        .onChange(of: scenePhase) { _, phase in
            guard case .participating(let participation) = model.phase else { return }
            switch phase {
            case .active:
                participation.refresh()
                Task { await participation.deliver() }
            default: Task { await participation.survey?.waitUntilSaved() }
            }
        }
    }
}

struct RootView: View {
    let model: AppModel

    var body: some View {
        NavigationStack {
            switch model.phase {
            case .starting: ProgressView()
            case .left: Text("You have left the study.")
            case .consent(let consent): ConsentView(app: model, model: consent)
            case .participating(let participation): ScheduleView(app: model, model: participation)
            }
            if let problem = model.problem { Text(problem).foregroundStyle(.red) }
        }
    }
}
