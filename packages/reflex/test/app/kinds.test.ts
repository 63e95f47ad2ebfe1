import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Json, Kind, Port, Program } from '../../src/kernel/index.ts'
import { isFault, type KindBody, type KindModule, KINDS, type LazyKindModule, Reflex, type RunOptionTable } from '../../src/index.ts'
import { actions } from '../../src/cli/actions.ts'
import { RUN_FLAGS } from '../../src/cli/kind-flags.ts'
import type { RunSettings } from '../../src/policy/index.ts'
import type { MadeKind } from '../../src/programs/kind-module.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { options, TEXT } from '../../src/text/index.ts'
import { newFolder } from './folders.ts'

interface Echo {
  readonly says: string
}

interface EchoOptions {
  /** Stands before what is said. */
  readonly prefix?: string
}

const RUN_OPTIONS = {
  loud: { flag: '--loud', type: 'flag', does: 'say it in capitals', root: true, ignored: (kind) => `a ${kind} says nothing` },
} as const satisfies RunOptionTable

const SILENT: Port<RunSettings> = { leaves: false, repeat: 'free', simulate: 'perform', perform: () => null }

/** A kind that repeats its text: one folder, one line. */
const echo: KindModule<'echo', EchoOptions, Echo, typeof RUN_OPTIONS> = {
  name: 'echo',
  language: { endings: ['.echo.json'], owns: () => false, format: (text) => ({ text, findings: [] }) },
  view: { result: (_, value) => ({ value, how: 'said' }) },
  faults: [],
  uses: [],
  hostOptions: options({ prefix: TEXT }),
  runOptions: RUN_OPTIONS,
  folder: {
    keep: async () => undefined,
    beginsAt: (_, { loud }) => (loud === true ? { loud } : {}),
  },
  make(_, { prefix = '' } = {}) {
    const kind: Kind<Echo> = {
      name: 'echo',
      rev: 1,
      compile: (source) => source as unknown as Echo,
      step: (x) => {
        const said = prefix + x.def.says
        x.done(JSON.stringify(x.args ?? null).includes('loud') ? said.toUpperCase() : said)
      },
    }
    return {
      kind,
      ports: {},
      reader: { read: (text) => ({ program: { id: 'hello', source: JSON.parse(text) as Json, def: undefined }, findings: [] }) },
    }
  },
}

/** Returns a made kind with some of its facts replaced. */
function withKind<Def>(made: MadeKind<Def>, facts: Partial<Kind<Def>>): MadeKind<Def> {
  return { ...made, kind: { ...made.kind, ...facts } }
}

/** The same kind behind `load`, and how often each of its parts was asked for. */
function lazy(load: () => Promise<unknown> = async () => echo): {
  readonly module: LazyKindModule<'echo', EchoOptions, Echo, typeof RUN_OPTIONS>
  readonly loads: () => number
} {
  const { name, faults, uses, runOptions, hostOptions = options({}) } = echo
  let loads = 0
  return {
    loads: () => loads,
    module: {
      name,
      faults,
      uses,
      hostOptions,
      ...(runOptions === undefined ? {} : { runOptions }),
      language: { endings: ['.echo.json'], owns: () => false },
      load: () => {
        loads++
        return load() as Promise<KindBody<EchoOptions, Echo>>
      },
    },
  }
}

function folder(): string {
  const workdir = newFolder()
  writeFileSync(join(workdir, 'hello.echo.json'), '{"says":"hello"}')
  writeFileSync(join(workdir, 'flow.workflow.json'), '{"id":"flow","entry":"a","nodes":{"a":{"id":"a","spec":{}}},"edges":[]}')
  return workdir
}

const place = (workdir: string) => ({
  workdir,
  store: memoryStore(),
  surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
})

function codeOf(make: () => unknown): string {
  try {
    make()
    return 'made'
  } catch (thrown) {
    return isFault(thrown) ? `${thrown.code} ${thrown.message}` : String(thrown)
  }
}

const fails = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'ran',
    (thrown: unknown) => (isFault(thrown) ? `${thrown.code} ${thrown.message}` : String(thrown)),
  )

test('a kind from another folder is registered with the Reflex and run from a file of its ending', async () => {
  const workdir = folder()
  const reflex = new Reflex({ ...place(workdir), kinds: [...KINDS, echo], echo: { prefix: 'well, ' } })
  onTestFinished(() => reflex.close())
  const file = join(workdir, 'hello.echo.json')
  expect((await reflex.run(file)).value).toBe('well, hello')
  expect((await reflex.run(file, { echo: { loud: true } })).value).toBe('WELL, HELLO')
  expect((await reflex.run(join(workdir, 'flow.workflow.json'))).status).toBe('completed')
})

test('a kind that was made is closed with its Reflex, before the store, and every other kind is closed when one fails', async () => {
  const workdir = folder()
  const closed: string[] = []
  const closing = (name: string, fails = false): KindModule => ({
    ...echo,
    name,
    language: { ...echo.language, endings: [`.${name}.json`] },
    runOptions: {},
    make: (world) => ({
      ...withKind(echo.make(world), { name }),
      close() {
        closed.push(name)
        if (fails) throw new Error(`${name} is stuck`)
      },
    }),
  })
  const given = place(workdir)
  vi.spyOn(given.store, 'close').mockImplementation(async () => void closed.push('store'))
  const reflex = new Reflex({ ...given, kinds: [closing('first', true), closing('second'), lazy().module] })
  await expect(reflex.close()).rejects.toThrow('first is stuck')
  expect(closed).toEqual(['first', 'second', 'store'])
})

test('an option of a kind counts for programs of that kind alone', async () => {
  const workdir = folder()
  const reflex = new Reflex({ ...place(workdir), kinds: [...KINDS, echo] })
  onTestFinished(() => reflex.close())
  const flow = join(workdir, 'flow.workflow.json')
  expect(await fails(reflex.run(flow, { echo: { loud: true } }))).toBe(
    'R2031 --loud has no effect on workflow:flow: a workflow says nothing',
  )
  // @ts-expect-error: pipelines have no such option.
  expect(await fails(reflex.run(flow, { pipeline: { deadend: 'fail' } }))).toContain('did you mean "deadEnd"?')
  // @ts-expect-error: the option has two words.
  expect(await fails(reflex.run(flow, { pipeline: { deadEnd: 'failed' } }))).toContain('options.pipeline.deadEnd must be')
  // @ts-expect-error: there is no such kind.
  expect(await fails(reflex.run(flow, { pipelin: { deadEnd: 'fail' } }))).toContain('did you mean "pipeline"?')
  expect(await reflex.runs()).toEqual([])
})

test('options of hosts are checked when the Reflex is made', () => {
  const at = place(folder())
  // @ts-expect-error: there is no such kind.
  expect(codeOf(() => new Reflex({ ...at, workflov: { guards: {} } }))).toContain('did you mean "workflow"?')
  // @ts-expect-error: guards are an option of workflows.
  expect(codeOf(() => new Reflex({ ...at, pipeline: { guards: {} } }))).toContain('options.pipeline has the unknown option "guards"')
  // @ts-expect-error: a kind that is not in the list takes no options.
  expect(codeOf(() => new Reflex({ ...at, echo: { prefix: 'x' } }))).toContain('has the unknown option "echo"')
})

test('kinds that cannot stand beside each other are refused when the Reflex is made', () => {
  const at = place(folder())
  const made = (...kinds: readonly KindModule[]): string => codeOf(() => new Reflex({ ...at, kinds: [...KINDS, ...kinds] }))
  expect(made(echo, echo)).toBe('R2115 the kinds "echo" and "echo" both have the name "echo"')
  const dot = { ...echo, language: { ...echo.language, endings: ['.dot'] } }
  expect(made(dot)).toBe('R2115 the kinds "pipeline" and "echo" both have the ending ".dot"')
  const flag = { ...echo, runOptions: { loud: { ...RUN_OPTIONS.loud, flag: '--dead-end' } } } as const
  expect(made(flag)).toBe('R2115 the kinds "pipeline" and "echo" both have the flag --dead-end')
  const verbs = [{ name: 'artifacts', about: '', examples: [], load: async () => async () => [] }]
  expect(made({ ...echo, verbs })).toBe('R2115 the kinds "pipeline" and "echo" both have the verb "artifacts"')
  expect(made({ ...echo, name: 'store' })).toBe('R2115 the kind "store" has the name of an option of Reflex')
  expect(made({ ...echo, uses: ['radio'] })).toBe('R2116 the kind "echo" uses the port "radio", which Reflex does not have')
  const broken: KindModule = {
    ...echo,
    make: () => {
      throw new Error('no luck')
    },
  }
  expect(made(broken)).toBe('R2117 the kind "echo" cannot be made: no luck')
  const misnamed: KindModule = { ...echo, make: (world) => withKind(echo.make(world), { name: 'ekko' }) }
  expect(made(misnamed)).toBe('R2126 the module "echo" makes a kind with the name "ekko"')
  const greedy: KindModule = { ...echo, make: (world) => ({ ...echo.make(world), ports: { model: SILENT } }) }
  expect(made(greedy)).toBe('R2127 the kind "echo" and Reflex both bring the port "model"')
  const twin: KindModule = { ...greedy, make: (world) => ({ ...echo.make(world), ports: { sing: SILENT } }) }
  const endings = { ...echo.language, endings: ['.twin.json'] }
  const other: KindModule = {
    ...twin,
    name: 'twin',
    language: endings,
    runOptions: {},
    make: (world) => withKind(twin.make(world), { name: 'twin' }),
  }
  expect(made(twin, other)).toBe('R2127 the kinds "echo" and "twin" both bring the port "sing"')
  expect(codeOf(() => new Reflex({ ...at, kinds: [{ name: 'half' }] as unknown as readonly KindModule[] }))).toContain('kinds')
})

test('a kind behind `load` is loaded by the first file or run of its own, once, and by nothing else', async () => {
  const workdir = folder()
  const { module, loads } = lazy()
  const at = place(workdir)
  const reflex = new Reflex({ ...at, kinds: [...KINDS, module], echo: { prefix: 'well, ' } })
  onTestFinished(() => reflex.close())
  const [, pipeline] = KINDS
  await reflex.run(join(workdir, 'flow.workflow.json'), { id: 'flow-1abc' })
  expect([await reflex.inbox(), (await reflex.runs()).length, loads()]).toEqual([[], 1, 0])
  expect(reflex.kinds.language(pipeline.name)).toBeUndefined()
  const file = join(workdir, 'hello.echo.json')
  const runs = await Promise.all([reflex.run(file, { id: 'hello-1abc' }), reflex.run(file, { echo: { loud: true } })])
  expect([runs.map(({ value }) => value), loads()]).toEqual([['well, hello', 'WELL, HELLO'], 1])
  // Another process meets the kind in the store.
  const later = lazy()
  const other = new Reflex({ ...at, kinds: [...KINDS, later.module], echo: { prefix: 'well, ' } })
  await other.runs()
  expect(later.loads()).toBe(0)
  expect(await other.replay('hello-1abc')).toMatchObject({ result: 'equal' })
  expect([later.loads(), (await other.show('hello-1abc')).row.status]).toEqual([1, 'completed'])
})

test('a run loads the kinds of all programs that it may call, before it is opened', async () => {
  const workdir = folder()
  const calls = {
    id: 'calls',
    entry: 'a',
    nodes: { a: { id: 'a', spec: {}, invokes: { workflowId: 'echo:hello', returnMap: [] } } },
    edges: [],
  }
  writeFileSync(join(workdir, 'calls.workflow.json'), JSON.stringify(calls))
  const { module, loads } = lazy()
  const reflex = new Reflex({ ...place(workdir), kinds: [...KINDS, module] })
  onTestFinished(() => reflex.close())
  const run = await reflex.run(join(workdir, 'calls.workflow.json'))
  expect([run.run.state.pins.map(([name]) => name), loads()]).toEqual([['workflow:calls', 'echo:hello'], 1])
})

test('a kind that cannot be loaded or made is named when it is first met, and tried again the next time', async () => {
  const workdir = folder()
  const file = join(workdir, 'hello.echo.json')
  const met = async (load: () => Promise<unknown>): Promise<string> => {
    const reflex = new Reflex({ ...place(workdir), kinds: [...KINDS, lazy(load).module] })
    onTestFinished(() => reflex.close())
    return fails(reflex.run(file))
  }
  expect(await met(() => Promise.reject(new Error('no such package')))).toBe('R2125 the kind "echo" cannot be loaded: no such package')
  expect(await met(async () => ({ ...echo, make: 3 }))).toMatch(/^R1090 load of the kind "echo": body\.make must be a function/)
  expect(await met(async () => undefined)).toMatch(/^R1090 load of the kind "echo": body must be the body of a kind/)
  const unmade = {
    ...echo,
    make: () => {
      throw new Error('no luck')
    },
  }
  expect(await met(async () => unmade)).toBe('R2117 the kind "echo" cannot be made: no luck')
  expect(codeOf(() => new Reflex({ ...place(workdir), kinds: [{ ...lazy().module, load: 3 }] as never }))).toContain('load')
  let fallen = false
  const flaky = lazy(() => {
    const isFirst = !fallen
    fallen = true
    return isFirst ? Promise.reject(new Error('once')) : Promise.resolve(echo)
  })
  const reflex = new Reflex({ ...place(workdir), kinds: [...KINDS, flaky.module] })
  onTestFinished(() => reflex.close())
  expect(await fails(reflex.run(file))).toContain('R2125')
  expect((await reflex.run(file)).value).toBe('hello')
})

test('a kind that throws while it reads or compiles is named by a typed fault', async () => {
  const workdir = folder()
  writeFileSync(join(workdir, 'wrong.echo.json'), '{')
  const broken: typeof echo = {
    ...echo,
    make(world, host) {
      const made = echo.make(world, host)
      const compile = (): Echo => {
        throw new TypeError('no luck')
      }
      return { ...made, kind: { ...made.kind, compile } }
    },
  }
  const reflex = new Reflex({ ...place(workdir), kinds: [...KINDS, broken] })
  onTestFinished(() => reflex.close())
  expect(await fails(reflex.run(join(workdir, 'hello.echo.json')))).toBe('R2118 the kind echo cannot compile echo:hello: no luck')
  expect(await fails(reflex.run(join(workdir, 'wrong.echo.json')))).toMatch(/^R2119 the reader of .*wrong\.echo\.json threw: /)
})

test('no verb of a kind has the name of another verb of the command', () => {
  const names = actions.map(({ name }) => name)
  expect([names.includes('artifacts'), names.filter((name, i) => names.indexOf(name) !== i)]).toEqual([true, []])
})

test('the flags of the command are the options of the built-in kinds', () => {
  const tables = KINDS.flatMap(({ name, runOptions }) => (runOptions === undefined ? [] : [[name, runOptions]]))
  expect(RUN_FLAGS).toEqual(Object.fromEntries(tables))
})

test('a kind without a program is known by its name', () => {
  const reflex = new Reflex({ ...place(folder()), kinds: [echo] })
  onTestFinished(() => reflex.close())
  const program: Program = reflex.runtime.programs.add('echo', 'x', { says: 'x' })
  expect([reflex.kinds.names, program.name]).toEqual([['echo'], 'echo:x'])
})

test('a value that no kind of the list takes is refused in the editor and by the object', async () => {
  const reflex = new Reflex(place(folder()))
  onTestFinished(() => reflex.close())
  // @ts-expect-error: neither a workflow, a graph nor a program.
  expect(await fails(reflex.run({ says: 'hello' }))).toBe('R1021 the value to run is not a program')
})
