import StudyDelivery
import SwiftUI

/// What is to be done now, what comes, and how the delivery goes.
struct ScheduleView: View {
    let app: AppModel
    let model: Participation
    @State private var isLeaving = false

    var body: some View {
        if let survey = model.survey {
            SurveyView(model: survey, participation: model)
        } else {
            List {
                Section("Now") {
                    ForEach(model.schedule.open) { item in
                        Button(item.title) { model.open(item) }
                    }
                }
                Section("Later") {
                    ForEach(Array(model.schedule.upcoming.prefix(5))) { item in
                        Text("\(item.title), \(item.occurrence.dueDay.description)")
                    }
                }
                Section("Your record") { RecordView() }
                Section {
                    ProgressView(value: model.schedule.adherence)
                    Text(model.status)
                    Button("Leave the study", role: .destructive) { isLeaving = true }
                }
            }
            .navigationTitle("Sleep Study")
            .confirmationDialog("Leave, and erase everything here?", isPresented: $isLeaving) {
                Button("Leave", role: .destructive) { Task { await app.leave() } }
            }
        }
    }
}
