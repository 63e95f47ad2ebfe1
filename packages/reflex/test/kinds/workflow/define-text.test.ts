import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { typeFaults } from '../../compiler.ts'

const root = resolve(import.meta.dirname, '../../../../..')

/** Mistakes, each on the line under its name, in a program as an application would write it. */
const PROGRAM = `import { Reflex } from 'reflex-runtime'
import { createAgent, defineAgent, workflow } from 'reflex-runtime/workflow'
import { z } from 'zod'

export const identity = workflow({ id: 'identity', entry: 'match', board: { verdict: z.string(), score: { type: 'number' } }, nodes: { match: {} }, edges: [] })
export const refund = workflow({ id: 'refund', entry: 'read',
  board: { order_id: z.string(), order: z.object({ id: z.string(), total: z.number() }), identity: z.string() },
  nodes: {
    read: { spec: { tool: 'orders.get', writes: 'order' } },
    verify: { invokes: { workflow: identity, returnMap: [{ parentKey: 'identity', childKey: 'verdict' }], inputMap: [{ from: 'order', to: 'score' }] } },
    decide: { spec: { prompt: 'Refund this order in full, or decline?' } },
    approve: { spec: { ask: 'Refund it?', due: '3d', otherwise: 'NO' } },
    pay: { spec: { tool: 'payments.refund' }, outputs: [{ key: 'order', guaranteed: true }] }, decline: { outputs: [{ key: 'identity', guaranteed: false }] },
  },
  edges: [{ from: 'read', to: 'verify' }, { from: 'verify', to: 'decide' },
    { from: 'decide', to: 'approve', event: 'FULL', guard: { type: 'exists', key: 'identity' } }, { from: 'decide', to: 'decline', event: 'NO' },
    { from: 'approve', to: 'pay', event: 'YES' }, { from: 'approve', to: 'decline', event: 'NO' }],
})
const run = await new Reflex().run(refund, { input: { order_id: 'A-1042' } })
export const total: number | undefined = run.get('order')?.total
export const value: { readonly order?: { id: string; total: number } } | { readonly identity?: string } | undefined = run.value
export const file: unknown = (await new Reflex().run('a.workflow.json')).get('whatever')

const base = { id: 'w', entry: 'read', board: { order: z.object({ id: z.string() }), identity: z.string() } } as const
const nodes = { read: {}, approve: {}, decline: {} } as const
// an edge to no node
workflow({ ...base, nodes, edges: [{ from: 'read', to: 'aprove' }] })
// an edge from no node
workflow({ ...base, nodes, edges: [{ from: 'read', to: 'approve' }, { from: 'aprove', to: 'decline' }] })
// no entry
workflow({ ...base, entry: 'declin', nodes, edges: [] })
// a guard's key
workflow({ ...base, nodes, edges: [{ from: 'read', to: 'approve', guard: { type: 'exists', key: 'identty' } }] })
// a guard's type
workflow({ ...base, nodes, edges: [{ from: 'read', to: 'approve', guard: { type: 'exist', key: 'identity' } }] })
// a key that a spec writes
workflow({ ...base, nodes: { read: { spec: { writes: 'oder' } } }, edges: [] })
// the parent's key of a return map
workflow({ ...base, nodes: { read: { invokes: { workflow: identity, returnMap: [{ parentKey: 'identit', childKey: 'verdict' }] } } }, edges: [] })
// the child's key of a return map
workflow({ ...base, nodes: { read: { invokes: { workflow: identity, returnMap: [{ parentKey: 'identity', childKey: 'verdct' }] } } }, edges: [] })
// the child's key of an input map
workflow({ ...base, nodes: { read: { invokes: { workflow: identity, inputMap: [{ from: 'order', to: 'scor' }] } } }, edges: [] })
// a declared output
workflow({ ...base, nodes: { read: { outputs: [{ key: 'odrer', guaranteed: true }] } }, edges: [] })
// a declared input
workflow({ ...base, nodes: { read: { inputs: [{ key: 'odrer', required: true }] } }, edges: [] })
// an attribute of a node
workflow({ ...base, nodes: { read: { spce: {} } }, edges: [] })
// an attribute of an edge
workflow({ ...base, nodes, edges: [{ from: 'read', to: 'approve', gaurd: { type: 'exists', key: 'order' } }] })
// a key that is read
run.get('oder')
// a field of a value
run.get('order')?.totl
// an input
await new Reflex().run(refund, { input: { identity: 7 } })
// the name of an input
await new Reflex().run(refund, { input: { identty: 'sure' } })
// an attribute of a spec
workflow({ ...base, nodes: { read: { spec: { ask: 'Refund it?', due: '3d', otherwize: 'NO' } } }, edges: [] })
// a value of a spec
workflow({ ...base, nodes: { read: { spec: { prompt: 'Which?', effort: 'hihg' } } }, edges: [] })
// the value of a guard
workflow({ ...base, nodes, edges: [{ from: 'read', to: 'approve', guard: { type: 'equals', key: 'identity', value: 7 } }] })
const typed = workflow({ id: 'typed', entry: 'a', nodes: { a: {}, b: {} }, edges: [{ from: 'a', to: 'b', event: 'ON' }, { id: 'own', from: 'a', to: 'b', event: 'OFF' }],
  board: { state: { enum: ['red', 'green'] }, size: { type: 'object', properties: { w: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } } }, required: ['w'] }, note: { type: ['string', 'null'] } } })
export const given = await new Reflex().run(typed, { input: { state: 'red', size: { w: 1, tags: ['a'] }, note: null } })
export const held: [('red' | 'green')?, number?, string?] = [given.get('state'), given.get('size')?.w, given.get('size')?.tags?.[0]]
// a value that an enum has not
workflow({ ...base, board: { state: { enum: ['red', 'green'] } }, nodes, edges: [{ from: 'read', to: 'approve', guard: { type: 'equals', key: 'state', value: 'rde' } }] })
// a property that an object has not
given.get('size')?.h
export const other = workflow({ id: 'other', entry: 'a', nodes: { a: { spec: { agent: 'mine', anything: { at: 'all' } } }, b: { spec: { kind: 'x' } } }, edges: [{ from: 'a', to: 'b' }] })
export const right = defineAgent<typeof typed>({
  async resolve({ blackboard, validEdges }) {
    const state: 'red' | 'green' | undefined = blackboard.get('state')
    return { type: 'advance', edge: state === 'red' ? 'own' : (validEdges[0]?.id ?? 'a:ON'), writes: [{ key: 'state', value: 'green' }] }
  },
})
// a key that an agent reads
defineAgent<typeof typed>({ resolve: async ({ blackboard }) => ({ type: 'suspend', reason: String(blackboard.get('stat')) }) })
// an edge that an agent takes
defineAgent<typeof typed>({ resolve: async () => ({ type: 'advance', edge: 'a:OFFF' }) })
// a key that an agent writes
defineAgent<typeof typed>({ resolve: async () => ({ type: 'complete', writes: [{ key: 'stat', value: 'red' }] }) })
export const made = createAgent<typeof typed>({ a: async ({ board, take }) => take(board.get('state') === 'red' ? 'ON' : 'own', { state: 'green' }), b: ({ done }) => done() })
// a node without a handler
createAgent<typeof typed>({ a: async ({ take }) => take('ON') })
// an event that a handler takes
createAgent<typeof typed>({ a: async ({ take }) => take('ONN'), b: () => undefined })
`

const EXPECTED: Readonly<Record<string, string>> = {
  'an edge to no node': `Type '"aprove"' is not assignable to type '"approve" | "decline" | "read"'. Did you mean '"approve"'?`,
  'an edge from no node': `Type '"aprove"' is not assignable to type '"approve" | "decline" | "read"'. Did you mean '"approve"'?`,
  'no entry': `Type '"declin"' is not assignable to type '"approve" | "decline" | "read"'. Did you mean '"decline"'?`,
  "a guard's key": `Type '"identty"' is not assignable to type '"identity" | "order"'. Did you mean '"identity"'?`,
  "a guard's type": `Type '"exist"' is not assignable to type '"cel" | "custom" | "equals" | "exists" | "not-equals" | "not-exists"'. Did you mean '"exists"'?`,
  'a key that a spec writes': `Type '"oder"' is not assignable to type '"identity" | "order" | { readonly identity?: unknown; readonly order?: unknown; } | undefined'. Did you mean '"order"'?`,
  "the parent's key of a return map": `Type '"identit"' is not assignable to type '"identity" | "order"'. Did you mean '"identity"'?`,
  "the child's key of a return map": `Type '"verdct"' is not assignable to type '"score" | "verdict"'. Did you mean '"verdict"'?`,
  "the child's key of an input map": `Type '"scor"' is not assignable to type '"score" | "verdict"'. Did you mean '"score"'?`,
  'a declared output': `Type '"odrer"' is not assignable to type '"identity" | "order"'. Did you mean '"order"'?`,
  'a declared input': `Type '"odrer"' is not assignable to type '"identity" | "order"'. Did you mean '"order"'?`,
  'an attribute of a node': `Object literal may only specify known properties, and 'spce' does not exist in type`,
  'an attribute of an edge': `Object literal may only specify known properties, but 'gaurd' does not exist in type`,
  'a key that is read': `Argument of type '"oder"' is not assignable to parameter of type '"identity" | "order" | "order_id"'.`,
  'a field of a value': `Property 'totl' does not exist on type '{ id: string; total: number; }'. Did you mean 'total'?`,
  'an input': `Type 'number' is not assignable to type 'string'.`,
  'the name of an input': `'identty' does not exist in type`,
  'an attribute of a spec': `'otherwize' does not exist in type`,
  'a value of a spec': `Type '"hihg"' is not assignable to type`,
  'the value of a guard': `Type 'number' is not assignable to type 'string'.`,
  'a value that an enum has not': `Type '"rde"' is not assignable to type '"green" | "red"'.`,
  'a property that an object has not': `Property 'h' does not exist on type`,
  'a key that an agent reads': `Argument of type '"stat"' is not assignable to parameter of type '"note" | "size" | "state"'.`,
  'an edge that an agent takes': `edge: "a:OFFF"; }>' is not assignable to type`,
  'a key that an agent writes': `writes: { key: "stat"; value: "red"; }[]; }>' is not assignable to type`,
  'a node without a handler': `Property 'b' is missing in type`,
  'an event that a handler takes': `Argument of type '"ONN"' is not assignable to parameter of type`,
}

/** A folder of an application with one program, for as long as something is done there. */
function within<Result>(text: string, work: (folder: string) => Result): Result {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-define-text-')))
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'program.ts'), text)
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the compiler says, by the line that it says it of. */
function compile(cwd: string): Map<number, string> {
  return new Map(typeFaults(cwd, ['program.ts']).map(({ place, text }) => [Number(place.slice('program.ts:'.length)), text]))
}

describe('the compiler', () => {
  const lines = PROGRAM.split('\n')
  const mistakes = Object.keys(EXPECTED).map((name) => ({ name, line: lines.indexOf(`// ${name}`) + 2 }))
  let said = new Map<number, string>()
  beforeAll(() => {
    said = within(PROGRAM, compile)
  })

  test('reports nothing about a correct workflow', () => {
    const wrong = new Set(mistakes.map(({ line }) => line))
    expect([...said].filter(([line]) => !wrong.has(line))).toEqual([])
  })

  test.each(mistakes)('$name', ({ name, line }) => expect(said.get(line)).toContain(EXPECTED[name]))
})

test('the program on the page about workflows is correct and does what the page says', () => {
  const page = readFileSync(join(root, 'docs/kinds/workflow.md'), 'utf8')
  const [, block = ''] = /## In TypeScript[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? []
  within(`${block}\nconsole.log(JSON.stringify([run.status, run.get('order')?.total, run.value]))\n`, (cwd) => {
    expect(compile(cwd)).toEqual(new Map())
    const { stdout } = spawnSync(process.execPath, ['program.ts'], { cwd, encoding: 'utf8' })
    expect(stdout).toBe('["completed",84,{"refunded":84}]\n')
  })
})
