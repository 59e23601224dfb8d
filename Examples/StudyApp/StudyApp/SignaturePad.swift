import Foundation
import SwiftUI
import UIKit

/// A field to sign in with a finger; the image is a PNG.
struct SignaturePad: View {
    @Binding var image: Data?
    @State private var strokes: [[CGPoint]] = []

    var body: some View {
        drawing(strokes)
            .frame(width: 300, height: 120)
            .gesture(
                DragGesture(minimumDistance: 0)
                    .onChanged { drag in
                        if drag.translation == .zero { strokes.append([]) }
                        strokes[strokes.count - 1].append(drag.location)
                    }
                    .onEnded { _ in
                        image = ImageRenderer(content: drawing(strokes).frame(width: 300, height: 120))
                            .uiImage?.pngData()
                    }
            )
        Button("Clear") {
            strokes = []
            image = nil
        }
    }

    private func drawing(_ strokes: [[CGPoint]]) -> some View {
        Path { path in
            for stroke in strokes { path.addLines(stroke) }
        }
        .stroke(Color.black, lineWidth: 2)
    }
}
