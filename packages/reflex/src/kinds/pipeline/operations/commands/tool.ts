import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { SHELL } from '../../model/capability-uris.ts'
import { authored, environment, keys, writes } from '../../model/operation-ports.ts'
import { MODEL_REQUEST, COMMAND, ON_ERROR } from '../parameters.ts'
import { tool as run } from './exec.ts'

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
