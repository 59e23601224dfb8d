import ProfileGenerator

ProfileCommand.run(Array(CommandLine.arguments.dropFirst())).end()
