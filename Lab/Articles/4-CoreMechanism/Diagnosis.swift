// Diagnosis.swift: the listings of article 4 that the compiler refuses.

extension Lab {
    /// Logs and records what the compiler says about a listing.
    func compile(_ listing: ObjectiveCListing) {
        for error in listing.errors() {
            NSLog("error: \(error)")
            observe(compilerError, error)
        }
    }

    /// The article's statement is that the listing works. What holds is that the compiler refuses it, for these reasons and no others.
    func expectRefusal(_ errors: [String]) {
        article.expect(Text("the listing compiles", "代码可以编译"), compilerError, times: 0)
        expect(Text("the compiler refuses it: \(errors.joined(separator: "; "))", "编译器拒绝：\(errors.joined(separator: "；"))"),
               of: compilerError, is: errors) { $0.map(\.detail) }
    }
}

/// The name of the events that `compile` records.
let compilerError = "the compiler's error"
