import { anyCommandTool, commandTool, type NamedCommand, shell } from './command.ts'
import type { CommandSettings } from './command-run.ts'
import { fileEdit } from './file/edit.ts'
import { fileList } from './file/list.ts'
import { fileRead, jsonRead } from './file/read.ts'
import { fileSearch } from './file/search.ts'
import { fileWrite } from './file/write.ts'
import { gitLog } from './git/log.ts'
import { gitSample } from './git/sample.ts'
import { gitDiff, gitRoot, gitShow } from './git/show.ts'
import { gitTag } from './git/tag.ts'
import { http } from './http.ts'
import { Tools } from './registry.ts'
import type { Tool } from './tool.ts'

/** The settings of tools, and the tools besides the built-in ones. */
export interface ToolsSettings extends CommandSettings {
  /** Commands that the operator names. */
  readonly commands?: readonly NamedCommand[] | undefined
  /** Tools of the host. */
  readonly tools?: readonly Tool[] | undefined
}

/**
 * Creates the built-in tools, the operator's commands and the host's tools. The policy decides which of them a run may
 * call.
 */
export function createTools(settings: ToolsSettings): Tools {
  const { commands = [], tools = [], environment } = settings
  const home = environment['HOME']
  return new Tools([
    gitRoot(settings),
    gitLog(settings),
    gitTag(settings),
    gitShow(settings),
    gitDiff(settings),
    gitSample(settings),
    fileRead(home),
    fileList(home),
    fileSearch(home),
    jsonRead(home),
    fileWrite(home),
    fileEdit(home),
    anyCommandTool(settings),
    shell(settings),
    http(settings),
    ...commands.map((command) => commandTool(command, settings)),
    ...tools,
  ])
}
