import { perform } from '../../contract/asks.ts'
import type { Handler, NodeContext, Settled, Steps } from '../../contract/handler.ts'
import { refusal } from '../../contract/outcome.ts'
import { requiredText } from './requirements.ts'
import { actionFailed, actionOutcome } from './exec.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { authored, keys, writes } from '../../model/operation-ports.ts'
import { ON_ERROR } from '../parameters.ts'

/** Calls a function that the host has registered. */
const run: Handler = (context) => {
  const name = requiredText(context, 'function')
  if (typeof name !== 'string') return name
  return callFunction(context, name)
}

/** The code of a missing port: this runtime has no functions. */
const NO_PORT = 'R2013'

function* callFunction(context: NodeContext, name: string): Steps {
  const settled: Settled = yield* perform('handler', { handler: name, node: context.node.id })
  if (settled.error === undefined) return actionOutcome(context, settled.ok, true)
  const { code, message, verdict } = settled.error
  if (code === NO_PORT) return refusal(`${context.node.id}: unknown function ${JSON.stringify(name)}`)
  return actionFailed(context, message, verdict === 'retry')
}

export const hostFunction = defineOperation({
  name: 'function',
  does: 'Calls a function that the host has registered.',
  types: [],
  dispatch: [{ type: 'exec', by: { target: 'function' } }],
  parameters: {
    ...ON_ERROR,
    function: attribute('text', 'The name of a function that the host has registered.', { required: true }),
  },
  reads: [authored('function'), keys('context_keys')],
  writes: writes('derived', 'exec.<id>.'),
  repeat: 'side_effecting',
  needs: (node) => [uri('function', node.text('function') ?? '')],
  run,
})
