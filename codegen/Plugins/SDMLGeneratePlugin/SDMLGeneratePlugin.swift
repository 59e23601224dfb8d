import PackagePlugin

@main
struct SDMLGeneratePlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {}
}
