import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { SHELL } from '../../model/capability-uris.ts'
import { authored, environment, keys, writes } from '../../model/operation-ports.ts'
import { COMMAND, ON_ERROR } from '../parameters.ts'
import { shell as run } from './exec.ts'

export const shell = defineOperation({
  name: 'shell',
  does: 'Runs a command with a shell in the sandbox.',
  dispatch: [
    { type: 'exec', by: { target: 'shell' } },
    { type: 'compute', by: { purpose: 'shell' } },
  ],
  parameters: {
    ...COMMAND,
    ...ON_ERROR,
    command: attribute('text', 'The shell text, passed to `sh -c`; values come in as environment.', { required: true }),
  },
  reads: [
    authored('command', 'command_injection'),
    environment('command'),
    keys('context_keys', 'command_injection'),
    keys('env_keys', 'command_injection'),
    authored('cwd', 'path_traversal'),
  ],
  writes: writes('derived', 'shell.<id>.'),
  repeat: 'side_effecting',
  needs: () => [SHELL],
  run,
})
