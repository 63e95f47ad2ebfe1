import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { actions } from '../../src/cli/actions.ts'
import { exitCodeOf } from '../../src/cli/exit.ts'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { readText } from '../../src/programs/read-text.ts'
import { reflex, start, workFolder } from './worlds.ts'

const RUN = ['run', 'refund.workflow.json', '--id', 'otter-2m9q']
const json = (text: string): unknown => JSON.parse(text) as unknown

describe('help', () => {
  test('reflex without arguments lists every command once', async () => {
    const { code, out, err } = await reflex([], { folder: workFolder() })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const { name } of actions) expect(out.match(new RegExp(`^ {2}${name}\\b`, 'gm'))).toHaveLength(1)
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(100)
  })

  test.each(actions.map(({ name }) => name))('%s --help lists its options', async (name) => {
    const { code, out, err } = await reflex([name, '--help'], { folder: workFolder(), columns: 80 })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('--json')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })
})

describe('help and version', () => {
  test.each([
    [
      ['help', 'run'],
      ['run', '--help'],
    ],
    [['version'], ['--version']],
    [['help'], ['--help']],
  ])('%j is the same as %j', async (words, flags) => {
    const world = { folder: workFolder() }
    const { code, out, err } = await reflex(words, world)
    expect({ code, out, err }).toEqual(await reflex(flags, world).then((other) => ({ code: other.code, out: other.out, err: other.err })))
    expect(code).toBe(0)
  })

  test('help for an unknown command suggests a known one', async () => {
    const { code, err } = await reflex(['help', 'rnu'], { folder: workFolder() })
    expect([code, err]).toEqual([2, expect.stringContaining('did you mean "run"')])
  })

  test.each([
    [['--version'], { v: 1, version: '0.0.0' }],
    [['--help'], { v: 1, help: expect.stringContaining('COMMAND') as string }],
    [[], { v: 1, help: expect.stringContaining('COMMAND') as string }],
    [['run', '--help'], { v: 1, help: expect.stringContaining('--agent') as string }],
  ])('%j is a document too', async (argv, document) => {
    for (const shape of ['--json', '--jsonl']) {
      const { code, out, err } = await reflex([...argv, shape], { folder: workFolder() })
      expect({ code, err, document: json(out) }).toEqual({ code: 0, err: '', document })
    }
  })

  test('a fix contains the command once', async () => {
    const { err } = await reflex(['run', '--nonsense'], { folder: workFolder(), command: 'npx reflex' })
    expect(err).toContain('fix    npx reflex run --help\n')
  })
})

describe('a wrong command line changes nothing, reports the error, and exits with 2', () => {
  test.each([
    [['vaildate'], 'R2030', 'did you mean "validate"'],
    [['spoon', 'otter'], 'R2030', 'there is no command "spoon"'],
    [['--stroe', 'x'], 'R2030', ''],
    [['run'], 'R2031', 'program'],
    [['run', 'a.workflow.json', 'b.workflow.json'], 'R2031', ''],
    [['run', 'refund.workflow.json', '--inptu', 'a=1'], 'R2031', 'did you mean --input?'],
    [['run', 'refund.workflow.json', '--input', 'a'], 'R2032', 'k=text'],
    [['run', 'refund.workflow.json', '--input', 'a:={'], 'R2032', 'is not JSON'],
    [['run', 'refund.workflow.json', '--input', '@order.txt'], 'R1021', 'order.txt'],
    [['run', 'refund.workflow.json', '--trust', 'ful'], 'R3013', 'untrusted'],
    [['run', 'refund.workflow.json', '--answers', 'atuo'], 'R2031', 'write --answers auto'],
    [['run', 'refund.workflow.json', '--answers', 'ask'], 'R2031', 'terminal'],
    [['run', 'nothing.workflow.json'], 'R1021', 'nothing.workflow.json'],
    [['run', 'order.json'], 'R1020', '--kind'],
    [['run', 'refund.workflow.json', '--policy', 'order.json'], 'R3011', 'order.json'],
    [['run', 'refund.workflow.json', '--agent', '=rules'], 'R2031', '--agent'],
    [['run', 'refund.workflow.json', '--agent', './broken.txt'], 'R2032', 'is not JSON'],
    [['run', 'refund.workflow.json', '--answers', './broken.txt'], 'R2032', 'is not JSON'],
    ...['', '../../evil', 'a/b', 'a@3', 'last', '-', '\u001b[2J', 'x'.repeat(5000), 'a\n'].map(
      (id) => [['run', 'refund.workflow.json', `--id=${id}`], 'R2031', '64 letters'] as [string[], string, string],
    ),
    [['runs', '--status', 'suspnded'], 'R2031', 'did you mean "suspended"'],
    [['runs', '--limit', '0'], 'R2031', '--limit'],
    [['runs', '--since', 'soon'], 'R2031', '2h'],
    [['runs', '--until', 'soon'], 'R2031', 'write --until 2h'],
    [['runs', '--after', 'nobody'], 'R2016', ''],
    [['show', 'otter@x'], 'R2031', 'RUN@21'],
    [['trace', 'otter'], 'R2016', 'reflex runs'],
    [['trace', 'otter', '--store', 'nowhere.db'], 'R1021', 'nowhere.db'],
    [['explain', 'R104Z'], 'R2033', 'did you mean R104'],
  ])('%j', async (argv, rule, hint) => {
    const folder = workFolder()
    writeFileSync(join(folder, 'broken.txt'), '{"approve":')
    const { code, out, err } = await reflex(argv, { folder })
    expect({ code, out, err }).toMatchObject({ code: 2, out: '' })
    expect((await reflex(['runs'], { folder })).out).toBe('')
    expect(err).not.toContain('\u001b')
    expect(err).toMatch(new RegExp(`^error ${rule} {2}`))
    expect(err).toContain(hint)
  })

  test('a list of runs is narrowed by kind, program and time, and continued after a run', async () => {
    const folder = workFolder()
    for (const id of ['otter-1', 'otter-2', 'otter-3']) await reflex([...RUN.slice(0, 2), '--id', id], { folder })
    const ids = async (...words: string[]): Promise<string[]> => {
      const { out } = await reflex(['runs', '--json', ...words], { folder })
      return (JSON.parse(out) as { runs: { id: string }[] }).runs.map(({ id }) => id)
    }
    expect(await ids('--kind', 'workflow', '--limit', '2')).toEqual(['otter-3', 'otter-2'])
    expect(await ids('--program', 'workflow:refund', '--after', 'otter-2')).toEqual(['otter-1'])
    expect([await ids('--kind', 'tree'), await ids('--program', 'workflow:other'), await ids('--until', '2h')]).toEqual([[], [], []])
  })

  test('an ambiguous prefix and a missing record are refused', async () => {
    const folder = workFolder()
    await reflex([...RUN.slice(0, 2), '--id', 'otter-1'], { folder })
    await reflex([...RUN.slice(0, 2), '--id', 'otter-2'], { folder })
    expect(await reflex(['show', 'otter'], { folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('otter-2, otter-1') as string,
    })
    expect(await reflex(['show', 'otter-1@99'], { folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('records 1 to 11') as string,
    })
    expect(await reflex([...RUN.slice(0, 2), '--id', 'otter-1'], { folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('R5007') as string,
    })
  })

  test('verbs that only read create no store', async () => {
    const folder = workFolder()
    for (const argv of [['runs'], ['inbox'], ['validate', 'refund.workflow.json']]) expect((await reflex(argv, { folder })).code).toBe(0)
    expect(() => readText(join(folder, '.reflex/reflex.db'))).toThrow('does not exist')
  })
})

describe('--json is one document, --jsonl one object per line', () => {
  const documents: readonly (readonly string[])[] = [
    RUN,
    ['resume', 'otter'],
    ['runs'],
    ['inbox'],
    ['show', 'otter'],
    ['show', 'otter@3'],
    ['trace', 'otter'],
    ['answer', 'otter', 'approve'],
    ['validate', 'refund.workflow.json', 'broken.workflow.json'],
    ['explain', 'INVALID_EDGE'],
    ['trace', 'lark'],
    ['run', 'broken.workflow.json'],
    ['vaildate'],
    ['run', '--nonsense'],
  ]

  test.each([undefined, 80])('holds for every verb, with a terminal of %s columns or none', async (columns) => {
    const folder = workFolder()
    writeFileSync(join(folder, 'broken.workflow.json'), '{"id": ')
    for (const argv of documents) {
      const { out, err, raw } = await reflex([...argv, '--json'], { folder, ...(columns === undefined ? {} : { columns }) })
      expect({ argv, document: json(out), err }).toMatchObject({ document: { v: 1 }, err: '' })
      expect(raw).not.toContain('\u001b')
    }
    for (const argv of documents) {
      const { out, err } = await reflex([...argv, '--jsonl'], { folder })
      expect({ argv, err }).toMatchObject({ err: '' })
      for (const line of out
        .trimEnd()
        .split('\n')
        .filter((text) => text !== ''))
        expect(json(line)).toMatchObject({ v: 1 })
    }
  })

  test('errors are printed as documents', async () => {
    const { code, out } = await reflex(['trace', 'lark', '--json'], { folder: workFolder() })
    expect({ code, document: json(out) }).toMatchObject({
      code: 2,
      document: {
        v: 1,
        error: { code: 'R2016', verdict: 'fail', message: expect.any(String) as string, fix: expect.any(String) as string },
      },
    })
  })

  test('records are printed in order and without gaps, live and later', async () => {
    const folder = workFolder()
    const live = (await reflex([...RUN, '--jsonl', '--answers', 'auto'], { folder })).out
    const later = (await reflex(['trace', 'otter', '--jsonl'], { folder })).out
    expect(later).toBe(live)
    const records = live.trimEnd().split('\n').map(json) as { record: number }[]
    expect(records.map(({ record }) => record)).toEqual(records.map((_, i) => i + 1))
  })

  test('run prints its result', async () => {
    const { out } = await reflex([...RUN, '--json'], { folder: workFolder() })
    expect(json(out)).toMatchObject({
      v: 1,
      run: 'otter-2m9q',
      status: 'suspended',
      program: { name: 'refund', kind: 'workflow' },
      questions: [{ id: 'otter-2m9q/q1', text: 'Refund 84 to the card ending 9021?' }],
    })
  })
})

describe('invalid programs', () => {
  const huge = `{"id":"x","entry":"a","nodes":{${Array.from({ length: 5000 }, (_, i) => `"n${i}":{"id":"n${i}","spec":{}}`).join(',')}},"edges":[]}`
  test.each([
    ['empty', ''],
    ['no JSON', 'hello'],
    ['bytes', '\u0000\u0001\ufffd\u001b[2J'],
    ['a list', '[]'],
    ['deep', '['.repeat(100_000)],
    ['huge', huge],
    ['wrong types', '{"id":1,"entry":[],"nodes":[],"edges":{}}'],
    ['a prototype', '{"id":"x","entry":"__proto__","nodes":{"__proto__":{"id":"__proto__","spec":{}}},"edges":[]}'],
  ])('%s', async (_, text) => {
    const folder = workFolder()
    writeFileSync(join(folder, 'bad.workflow.json'), text)
    for (const argv of [
      ['validate', 'bad.workflow.json'],
      ['run', 'bad.workflow.json'],
    ]) {
      const { code, raw } = await reflex(argv, { folder, columns: 80 })
      expect({ argv, code }).toEqual({ argv, code: 1 })
      expect(raw).toMatch(/error (\u001b\[\d+m)?R1\d\d\d|R1\d\d\d/)
      expect(raw).not.toMatch(/^ {4}at /m)
      expect(raw).not.toContain('\u001b[2J')
    }
  })

  test('contract violations and missing sub-workflows are warnings', async () => {
    const folder = workFolder()
    const text = readFileSync(join(folder, 'refund.workflow.json'), 'utf8')
    writeFileSync(
      join(folder, 'other.workflow.json'),
      text.replace('"refund"', '"other"').replace('"workflowId": "identity"', '"workflowId": "identiti"'),
    )
    writeFileSync(
      join(folder, 'third.workflow.json'),
      text.replace('"refund"', '"third"').replace('"childKey": "verdict"', '"childKey": "verdcit"'),
    )
    const { code, out } = await reflex(['validate', 'other.workflow.json', 'third.workflow.json'], { folder })
    expect(code).toBe(0)
    expect(out).toContain('R1053')
    expect(out).toContain('did you mean "verdict"?')
    expect(out).toContain('2 warnings in 2 files')
  })

  test('validate checks every program of a folder and runs none', async () => {
    const folder = workFolder()
    const text = readFileSync(join(folder, 'refund.workflow.json'), 'utf8')
    writeFileSync(join(folder, 'other.workflow.json'), text.replace('"refund"', '"other"'))
    writeFileSync(join(folder, 'broken.workflow.json'), '{')
    const { code, out } = await reflex(['validate', '.'], { folder })
    expect(code).toBe(1)
    expect(out).toMatch(/error R1001 .*broken\.workflow\.json/)
    expect(out).toMatch(/1 error in \d files/)
    const run = await reflex(['run', '.'], { folder })
    expect(run.code).toBe(2)
    expect(run.err).toMatch(/error R1022 +\. +the folder holds \d programs/)
  })

  // proves: workflow d-ends
  test('a failed node suspends the run; resume tries it again after the cause is removed', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'order.json'), '{')
    const { code, err } = await reflex(RUN, { folder })
    expect(code).toBe(75)
    expect(err).toMatch(/error R\d{4}/)
    expect(err).toContain('reflex resume otter-2m9q')
    writeFileSync(join(folder, 'order.json'), '{"id":"A-1","total":84}')
    expect(await reflex(['resume', 'otter', '--answers', 'auto'], { folder })).toMatchObject({ code: 0 })
  })

  test('a run that has ended cannot be resumed', async () => {
    const folder = workFolder()
    await reflex([...RUN, '--answers', 'auto'], { folder })
    expect(await reflex(['resume', 'otter'], { folder })).toMatchObject({ code: 1, err: expect.stringContaining('R2001') as string })
  })
})

describe('interrupts', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s at a question', async (signal, code) => {
    const run = start(RUN, { folder: workFolder(), columns: 80 })
    await run.shows('Later')
    run.interrupt(signal)
    const ended = await run.ended
    expect(ended.code).toBe(code)
    expect(ended.screen).toContain('reflex resume otter-2m9q')
  })
})

test('a bug in Reflex prints no stack and writes it to a file', async () => {
  const folder = workFolder()
  const entropy = (): string => {
    throw new TypeError('no entropy')
  }
  const host = Object.assign(virtualHost(), { entropy })
  const { code, err } = await reflex(['run', 'refund.workflow.json', '--answers', 'none'], {
    folder,
    host,
    environment: { TMPDIR: folder },
  })
  expect(code).toBe(70)
  expect(err).toMatch(/^error R9002\s+a bug in Reflex/)
  const [, file = ''] = /report it, with (\S+)/.exec(err.replace(/\n +/g, ' ')) ?? []
  expect(readFileSync(file, 'utf8')).toContain('    at ')
  expect(err).not.toContain('    at ')
})

test('every error code has an exit code, and only bugs have 70', () => {
  for (const [code, { verdict }] of CATALOGUE) {
    const exit = exitCodeOf({ code, message: '', verdict })
    expect([1, 2, 3, 70], code).toContain(exit)
    expect(exit === 70, code).toBe(verdict === 'bug' || code.startsWith('R9'))
  }
})
