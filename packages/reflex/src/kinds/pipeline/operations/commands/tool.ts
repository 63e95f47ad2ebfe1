import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { withToolHooks } from '../models/tool-hooks.ts'
import { command } from './exec.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { SHELL } from '../../model/capability-uris.ts'
import { authored, environment, keys, writes } from '../../model/operation-ports.ts'
import { COMMAND, MODEL_REQUEST, ON_ERROR } from '../parameters.ts'

/** Runs the command of a tool (reference pipeline 4.5). */
const run: Handler = withToolHooks(
  (context) => command(context, 'tool_command', { output: 'tool.output', errors: 'tool.stderr', code: 'tool.exit_code' }),
  ({ attributes }) => ({ command: textOf(attributes, 'tool_command') ?? '' }),
)

export const tool = defineOperation({
  name: 'tool',
  does: 'Runs the command of a tool in the sandbox.',
  shape: 'parallelogram',
  dispatch: [{ type: 'exec', by: { target: 'tool' } }],
  usual: [],
  parameters: {
    ...MODEL_REQUEST,
    ...COMMAND,
    ...ON_ERROR,
    tool_command: attribute('text', 'The command of a tool.', { required: true }),
  },
  reads: [
    authored('tool_command', 'command_injection'),
    environment('tool_command'),
    keys('context_keys', 'command_injection'),
    keys('env_keys', 'command_injection'),
    authored('cwd', 'path_traversal'),
  ],
  writes: writes('derived', 'tool.output', 'tool.stderr', 'tool.exit_code'),
  repeat: 'side_effecting',
  needs: () => [SHELL],
  run,
})
