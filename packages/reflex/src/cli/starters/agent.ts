/** A text of a file that is written for others is no import of this package. */
const PACKAGE = 'reflex-runtime'

/** The files of the first skill: an agent with its tools, and a skill with its test. docs/kinds/skill-quick-start.md shows the same files. */
export const AGENT_STARTER: readonly (readonly [name: string, text: string])[] = [
  [
    'tools.mjs',
    `// The tools of the agent. The command reads here what they change, and skills call them.
import { defineTool } from '${PACKAGE}/tools'

const PARCELS = { 'A-1042': 'P-77' }
const PLACES = { 'P-77': { place: 'Lyon', eta: 'Friday' } }

export const order = defineTool({
  name: 'orders.get',
  description: 'Finds the parcel of an order.',
  leaves: false,
  repeat: 'free',
  run: ({ order_id }) => ({ parcel_id: PARCELS[order_id] }),
})

export const parcel = defineTool({
  name: 'parcels.track',
  description: 'Says where a parcel is.',
  leaves: false,
  repeat: 'free',
  run: ({ parcel_id }) => PLACES[parcel_id],
})
`,
  ],
  [
    'parcel.where.skill.json',
    `{
  // A skill: two calls that the model does not have to request one by one.
  "id": "parcel.where",
  "version": "1.0.0",
  "owner": "me",
  "description": "Finds out where a parcel is.",
  "compat": {},
  "signature": {
    "inputs": [{ "name": "order_id", "type": "string", "pattern": "A-[0-9]+", "description": "Which order?" }],
    "outputs": [{ "name": "place", "type": "string" }, { "name": "eta", "type": "string" }]
  },
  "preconditions": { "tools_available": ["orders.get", "parcels.track"] },
  "plan": {
    "steps": [
      { "id": "order", "tool": "orders.get", "args": { "order_id": "{{order_id}}" } },
      { "id": "parcel", "tool": "parcels.track", "args": { "parcel_id": "{{steps.order.result.parcel_id}}" } }
    ],
    "result_map": { "place": "{{steps.parcel.result.place}}", "eta": "{{steps.parcel.result.eta}}" }
  },
  // The words of users for which it is offered.
  "activation": { "keywords_any": ["parcel"], "score_weights": { "keyword_hit": 1 }, "tau": 1 },
  "tests": { "unit_cases": ["where.case.json"] }
}
`,
  ],
  [
    'where.case.json',
    `{
  "name": "a parcel on its way",
  "turn": { "user": "Where is my parcel?", "now": "2026-01-01T00:00:00Z" },
  "propose": { "inputs": { "order_id": "A-1" } },
  "tools": [
    { "tool": "orders.get", "match": { "args": { "order_id": "A-1" } }, "result": { "parcel_id": "P-1" } },
    { "tool": "parcels.track", "match": { "args": { "parcel_id": "P-1" } }, "result": { "place": "Cork", "eta": "Monday" } }
  ],
  "expect": { "verdict": "approved", "status": "ok", "outputs": { "place": "Cork", "eta": "Monday" } }
}
`,
  ],
  [
    'agent.mjs',
    `// A plain agent, and the one line that wraps it.
import { Reflex } from '${PACKAGE}/skill'
import { order, parcel } from './tools.mjs'

async function agent(text, { llm, tools }) {
  const messages = [{ role: 'user', content: text }]
  for (;;) {
    const { choices } = await llm({ messages })
    const { message } = choices[0]
    messages.push(message)
    if (message.tool_calls === undefined) return message.content
    for (const { id, function: called } of message.tool_calls) {
      const tool = tools.find(({ name }) => name === called.name)
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(await tool.run(JSON.parse(called.arguments))) })
    }
  }
}

// In place of a model, so that this needs no key. Put a client of OpenAI or Anthropic here.
let asked = 0
function model({ messages }) {
  asked++
  const said = JSON.stringify(messages).replaceAll('\\\\', '')
  const call = (name, args) => ({ content: null, tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } }] })
  const reply = () => {
    const [, place, eta] = /"place":"(\\w+)","eta":"(\\w+)"/.exec(said) ?? []
    if (place !== undefined) return { content: \`It is in \${place} and comes on \${eta}.\` }
    const [order_id] = /A-[0-9]+/.exec(said)
    if (said.includes('- parcel.where@'))
      return { content: \`<SKILL_PROPOSE>\${JSON.stringify({ skill_id: 'parcel.where', inputs: { order_id } })}</SKILL_PROPOSE>\` }
    const [parcel_id] = /P-[0-9]+/.exec(said) ?? []
    return parcel_id === undefined ? call('orders.get', { order_id }) : call('parcels.track', { parcel_id })
  }
  return { choices: [{ message: { role: 'assistant', ...reply() } }] }
}

const reflex = new Reflex()
const wrapped = reflex.wrap({ agent, tools: [order, parcel], llm: async (request) => model(request) })
console.log(await wrapped.run('Where is my parcel? The order is A-1042.'))
console.log(\`the model was asked \${asked} times\`)
await reflex.close()
`,
  ],
]
