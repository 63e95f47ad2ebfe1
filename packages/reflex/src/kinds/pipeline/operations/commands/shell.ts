import type { Handler } from '../../contract/handler.ts'
import { command } from './exec.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { SHELL } from '../../model/capability-uris.ts'
import { authored, environment, keys, writes } from '../../model/operation-ports.ts'
import { COMMAND, ON_ERROR } from '../parameters.ts'

/** Runs a command in a shell (reference pipeline 4.5). */
const run: Handler = (context) => {
  const prefix = `shell.${context.node.id}`
  return command(context, 'command', {
    output: `${prefix}.output`,
    errors: `${prefix}.stderr`,
    code: `${prefix}.exit_code`,
    error: `${prefix}.error`,
  })
}

export const shell = defineOperation({
  name: 'shell',
  does: 'Runs a shell command in the sandbox.',
  dispatch: [
    { type: 'exec', by: { target: 'shell' } },
    { type: 'compute', by: { purpose: 'shell' } },
  ],
  parameters: {
    ...COMMAND,
    ...ON_ERROR,
    command: attribute('text', 'The shell text, passed to `sh -c`; values are environment variables.', { required: true }),
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
