import { anything, array, assert, asyncProperty, constantFrom, oneof, record, type Arbitrary } from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { explainCode, isFault, Reflex, type RunHandle } from '../../src/index.ts'
import * as pipelines from '../../src/kinds/pipeline/index.ts'
import * as workflows from '../../src/kinds/workflow/index.ts'
import { EngineError, WorkflowValidationError, type Workflow } from '../../src/kinds/workflow/index.ts'
import { workFolder } from '../cli/worlds.ts'

type Call = (...args: readonly unknown[]) => unknown

/** What a program without types gives by mistake. Texts are left out where they name a file or a folder. */
const odd = oneof(
  anything(),
  constantFrom(null, undefined, 42, Number.NaN, {}, { toString: 0 }, [], () => 1, Symbol('odd'), 10n, new Map(), new Date(0)),
)
const plain = oneof(
  constantFrom(null, 42, true, 10n, () => 1),
  array(anything(), { maxLength: 2 }),
  record({ odd: anything() }),
)

/** Only faults come out of a call, at once or later. */
async function onlyFaults(name: string, call: () => unknown): Promise<void> {
  try {
    const given = await call()
    // A generator begins when it is asked.
    if (typeof given === 'object' && given !== null && 'next' in given) await (given as AsyncGenerator).next()
  } catch (thrown) {
    if (isFault(thrown) || thrown instanceof EngineError || thrown instanceof WorkflowValidationError) return
    expect.unreachable(`${name}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`)
  }
}

function held(name: string, call: Call, args: Arbitrary<readonly unknown[]> = array(odd, { maxLength: 3 }), numRuns = 60): Promise<void> {
  return assert(
    asyncProperty(args, (given) => onlyFaults(name, () => call(...given))),
    { numRuns },
  )
}

const isClass = (value: unknown): boolean => typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class ')

/** Readers of one attribute run in every rule of every node, and errors are made of texts: they take what the types say. */
const LEFT_OUT = new Set([
  'integerOf',
  'isOn',
  'listOf',
  'numberOf',
  'textOf',
  'EngineError',
  'WorkflowValidationError',
  'ScopedBlackboard',
])

const DOORS = { workflow: workflows, pipeline: pipelines } as const
const functions = Object.entries(DOORS).flatMap(([door, names]) =>
  Object.entries(names).flatMap(([name, value]) =>
    typeof value === 'function' && !LEFT_OUT.has(name) ? [[`${door}.${name}`, value] as const] : [],
  ),
)

test.each(functions)('%s gives a fault for arguments that it does not take', async (name, value) => {
  const call = (isClass(value) ? (...args: unknown[]): unknown => Reflect.construct(value as new () => unknown, args) : value) as Call
  await held(name, call)
})

function methodsOf(prototype: object): string[] {
  return Object.getOwnPropertyNames(prototype).filter(
    (name) => name !== 'constructor' && name !== 'close' && typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
  )
}

function opened(): Reflex {
  const reflex = new Reflex({ store: 'memory:', workdir: workFolder() })
  onTestFinished(() => reflex.close())
  return reflex
}

// `work` resolves only after its signal has aborted. The next test calls it with options that it refuses.
test.each(methodsOf(Reflex.prototype).filter((name) => name !== 'work'))(
  'reflex.%s gives a fault for arguments that it does not take',
  async (name) => {
    const reflex = opened()
    const call = Reflect.get(reflex, name) as Call
    await held(`reflex.${name}`, call.bind(reflex), array(name === 'useTools' || name === 'exportTables' ? plain : odd, { maxLength: 3 }))
  },
)

test.each([42, null, { grace: 'long' }, { signal: {} }])('reflex.work gives a fault for %j', async (options) => {
  await expect(opened().work(options as never)).rejects.toSatisfy(isFault)
})

const asks: Workflow = {
  id: 'asks',
  entry: 'a',
  nodes: { a: { id: 'a', spec: { ask: 'Go?', writes: 'x' } } },
  edges: [],
}

test('methods of a run give a fault for arguments that they do not take', async () => {
  const reflex = opened()
  const handle: RunHandle = await reflex.run(asks)
  for (const name of ['answer', 'get', 'onLine', 'onRecord']) {
    const call = Reflect.get(handle, name) as Call
    await held(`handle.${name}`, call.bind(handle))
  }
  await held('reflex.answer', (...args) => reflex.answer(`${handle.id}/q1`, ...(args as [unknown])), undefined, 20)
})

const OPTIONS = ['trust', 'policy', 'tools', 'agents', 'agent', 'model', 'models', 'fallback', 'baseUrl', 'record', 'prices', 'secrets']
const HOST_OPTIONS = [
  'handlers',
  'actions',
  'hooks',
  'services',
  'middleware',
  'transforms',
  'guards',
  'programs',
  'leaseMs',
  'actor',
  'observe',
  'surroundings',
]

test.each([...OPTIONS, ...HOST_OPTIONS, 'store', 'workdir', 'optoins'])('new Reflex gives a fault for a wrong %s', async (option) => {
  const value = option === 'store' || option === 'workdir' ? plain : odd
  await held(
    `new Reflex(${option})`,
    // Without a store, a `Reflex` would make one in the folder of the repository.
    (given) => new Reflex({ store: 'memory:', ...(given === undefined ? {} : { [option]: given }) }).close(),
    array(value, { maxLength: 1 }),
    100,
  )
})

test.each([
  'input',
  'texts',
  'id',
  'kind',
  'trust',
  'agent',
  'model',
  'recorded',
  'tools',
  'limits',
  'simulate',
  'logs',
  'resumeFrom',
  'prepare',
])('run gives a fault for a wrong %s', async (option) => {
  const reflex = opened()
  await held(`run(${option})`, (given) => reflex.run(asks, { [option]: given }), array(plain, { maxLength: 1 }))
})

test('an engine and a registry give a fault for arguments that they do not take', async () => {
  const registry = workflows.createRegistry()
  registry.register(asks)
  const agent = { resolve: () => Promise.resolve({ type: 'suspend' as const, reason: 'later' }) }
  for (const name of methodsOf(workflows.WorkflowRegistry.prototype)) {
    const own = workflows.createRegistry({ warn: () => undefined })
    await held(`registry.${name}`, (Reflect.get(own, name) as Call).bind(own))
  }
  for (const name of methodsOf(workflows.ReflexEngine.prototype)) {
    const engine = workflows.createEngine(registry, agent)
    await engine.init('asks')
    const call = (Reflect.get(engine, name) as Call).bind(engine)
    await held(`engine.${name}`, call)
    await held(`engine.${name}('asks')`, (...args) => call('asks', ...args))
    await engine.step()
    await held(`suspended engine.${name}`, (...args) => call(...args))
  }
})

test('explainCode gives a fault for what is no text', () => held('explainCode', explainCode as Call))

test.each([
  ['register', () => workflows.createRegistry().register(null as never), 'register: workflow must be an object, but is null'],
  [
    'init',
    () => engineOf().init('asks', { blackboard: 'x' as never }),
    'init: options.blackboard must be a list in which each item is a write, but is the text "x"',
  ],
  [
    'pushWorkflow',
    () => engineOf().pushWorkflow('asks', null as never),
    'pushWorkflow: options must be an object of named values, but is null',
  ],
  [
    'createEngine',
    () => workflows.createEngine(null as never, null as never),
    'createEngine: registry must be a registry, which has get() and list(), but is null',
  ],
  ['new Reflex', () => new Reflex('x' as never), 'new Reflex: options must be an object of named values, but is the text "x"'],
  ['an option', () => new Reflex({ wokdir: '.' } as never), 'new Reflex: options has the unknown option "wokdir"; did you mean "workdir"?'],
  ['run', () => opened().run(undefined as never), 'run: program must be text or an object, but is undefined'],
  ['input', () => opened().run(asks, { input: 7 as never }), 'run: options.input must be an object of named values, but is 7'],
  ['validate', () => pipelines.validate(42 as never), /^validate: program must be text or a graph, .* but is 42$/],
  ['workdir', () => new Reflex({ workdir: '/not/there' }), /^the work folder \/not\/there is not there/],
  ['answer', () => opened().answer(7 as never, 'YES'), 'answer: address must be text, but is 7'],
])('%s says which argument is wrong, what came and what is expected', async (name, call, message) => {
  const thrown: unknown = await Promise.resolve()
    .then<unknown>(call)
    .catch((caught: unknown) => caught)
  expect(thrown).toMatchObject({
    code: name === 'workdir' ? 'R1021' : 'R1090',
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  })
})

function engineOf(): workflows.ReflexEngine {
  const registry = workflows.createRegistry()
  registry.register(asks)
  return workflows.createEngine(registry, { resolve: () => Promise.resolve({ type: 'suspend', reason: 'later' }) })
}
