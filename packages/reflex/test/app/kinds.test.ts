import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Json, Kind, Program } from '../../src/kernel/index.ts'
import { isFault, type KindModule, KINDS, Reflex, type RunOptionTable } from '../../src/index.ts'
import { RUN_FLAGS } from '../../src/app/run-flags.ts'
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

/** A kind that repeats its text: one folder, one line. */
const echo: KindModule<'echo', EchoOptions, Echo, typeof RUN_OPTIONS> = {
  name: 'echo',
  language: { endings: ['.echo.json'], owns: () => false, format: (text) => ({ text, findings: [] }) },
  view: { result: (_, value) => ({ value, how: 'said' }) },
  faults: [],
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
      uses: [],
      reader: { read: (text) => ({ program: { id: 'hello', source: JSON.parse(text) as Json, def: undefined }, findings: [] }) },
    }
  },
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
  expect(made({ ...echo, name: 'store' })).toBe('R2115 the kind "store" has the name of an option of Reflex')
  const lonely: KindModule = { ...echo, make: (world) => ({ ...echo.make(world), uses: ['radio'] }) }
  expect(made(lonely)).toBe('R2116 the kind "echo" uses the port "radio", which nothing provides')
  const broken: KindModule = {
    ...echo,
    make: () => {
      throw new Error('no luck')
    },
  }
  expect(made(broken)).toBe('R2117 the kind "echo" cannot be made: no luck')
  expect(codeOf(() => new Reflex({ ...at, kinds: [{ name: 'half' }] as unknown as readonly KindModule[] }))).toContain('kinds')
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
