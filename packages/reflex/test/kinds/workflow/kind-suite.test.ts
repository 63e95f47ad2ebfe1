import { describe, test } from 'vitest'
import { digest, type Port } from '../../../src/kernel/index.ts'
import { kindSuite } from '../../../src/testing/index.ts'
import { loadWorkflow } from '../../../src/kinds/workflow/file/load.ts'
import { decisionPort, type DecisionCall, workflowKind } from '../../../src/kinds/workflow/index.ts'
import type { Decision, DecisionContext } from '../../../src/kinds/workflow/types/index.ts'

const edge = (from: string, to: string, more: object = {}) => ({ id: `${from}-${to}`, from, to, event: to.toUpperCase(), ...more })
const nodes = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { id, spec: {} }]))

const order = {
  id: 'order',
  entry: 'read',
  board: { customer: { type: 'string' }, checked: { enum: ['say'] }, pay: { pattern: '^paid under [0-9a-f]{8}$' } },
  nodes: {
    ...nodes('read', 'decide', 'pay', 'late'),
    check: {
      id: 'check',
      spec: {},
      invokes: {
        workflowId: 'check',
        returnMap: [{ parentKey: 'checked', childKey: 'verdict' }],
        inputMap: [{ from: 'customer', to: 'who' }],
      },
    },
    ask: { id: 'ask', spec: {} },
  },
  edges: [
    edge('read', 'check'),
    edge('check', 'decide'),
    edge('decide', 'ask', { guard: { type: 'exists', key: 'checked' } }),
    edge('decide', 'late'),
    edge('ask', 'pay'),
  ],
}
const check = {
  id: 'check',
  entry: 'look',
  board: { who: { minLength: 3 } },
  nodes: nodes('look', 'wait', 'say'),
  edges: [edge('look', 'wait'), edge('wait', 'say')],
}

/** Asks at two nodes, pays at one, and else goes on: a function of what it sees, whatever process asks. */
function decide({ node, validEdges, input }: DecisionContext, call: DecisionCall): Decision {
  if ((node.id === 'ask' || node.id === 'wait') && input === undefined)
    return { type: 'suspend', reason: 'asks', ask: { text: `at ${node.id}` } }
  const value = node.id === 'pay' ? `paid under ${digest(call.key).slice(0, 8)}` : (input ?? node.id)
  const writes = [{ key: node.id === 'say' ? 'verdict' : node.id, value }]
  const [way] = validEdges
  return way === undefined ? { type: 'complete', writes } : { type: 'advance', edge: way.id, writes }
}

const ports = (): Record<string, Port> => ({
  decide: decisionPort({
    resolve: async (context, call) => decide(context, call as DecisionCall),
    traits: ({ node }) => ({ leaves: node.id === 'pay', repeat: node.id === 'pay' ? 'keyed' : 'free' }),
  }),
})

const suite = kindSuite({
  name: 'workflow',
  kinds: [workflowKind({ load: (source) => loadWorkflow(source as object) })],
  programs: [
    { kind: 'workflow', id: 'order', source: order },
    { kind: 'workflow', id: 'check', source: check },
  ],
  args: { customer: 'ana' },
  ports,
  script: { answer: () => 'yes' },
  calling: (callee) => ({
    id: 'calling',
    entry: 'call',
    nodes: { call: { id: 'call', spec: {}, invokes: { workflowId: callee, returnMap: [{ parentKey: 'word', childKey: 'said' }] } } },
    edges: [],
  }),
})

describe('the kind suite on workflows', () => {
  for (const { name, run } of suite) test(name, run)
})
