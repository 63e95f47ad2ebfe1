import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readIn } from '../../../src/learn/shapes/shape-file.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { reflex, workFolder, type WorldOptions } from '../../cli/worlds.ts'

const CASES = resolve(import.meta.dirname, '../../../../../cases/skill/import')
const GOLDEN = 'expected.json'

function world(): WorldOptions & { readonly folder: string } {
  return { folder: workFolder(), host: virtualHost({ at: Date.UTC(2026, 0, 5, 9) }) }
}

/** Imports a case by the command, and returns its document and what mining reads of the runs. */
async function imported(name: string): Promise<object> {
  const options = world()
  const [file = ''] = readdirSync(join(CASES, name)).filter((one) => one !== GOLDEN)
  cpSync(join(CASES, name, file), join(options.folder, file))
  const { code, out } = await reflex(['learn', 'import', file, '--json'], options)
  const { runs, findings } = JSON.parse(out) as {
    readonly runs: readonly { readonly run: string }[]
    readonly findings: readonly Finding[]
  }
  const shapes = await shapesIn(options)
  return {
    code,
    runs: runs.map(({ run, ...facts }) => {
      const { shape, leaves } = shapes.find((one) => one.shape.run === run) ?? {}
      return { ...facts, shape: { ...shape, run: 0 }, leaves }
    }),
    findings: findings.map(({ code: fault, severity, line, message }) => ({ code: fault, severity, line, message })),
  }
}

/** Imports a case, and returns the name of its run. */
async function talk(name: string): Promise<{ readonly options: ReturnType<typeof world>; readonly run: string }> {
  const options = world()
  cpSync(join(CASES, name), join(options.folder, 'talk.json'))
  const { out } = await reflex(['learn', 'import', 'talk.json', '--json'], options)
  const [first] = (JSON.parse(out) as { readonly runs: readonly { readonly run: string }[] }).runs
  return { options, run: first?.run ?? '' }
}

type Fields = Record<string, unknown>

/** A conversation in which an agent looks a parcel up, refunds it, and does something else before or after. */
function refund(parcel: string, i: number): string {
  const ask = (id: string, name: string, input: Fields): Fields => ({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] })
  const give = (id: string, content: string): Fields => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] })
  const other = [ask('o', `other.${i % 4}`, {}), give('o', 'fine')]
  const calls = [
    ask('a', 'parcels.get', { parcel }),
    give('a', `order-${i}`),
    ask('b', 'orders.refund', { order: `order-${i}` }),
    give('b', 'done'),
  ]
  const around = i % 2 === 0 ? [...other, ...calls] : [...calls, ...other]
  return JSON.stringify([{ role: 'user', content: `Refund parcel ${parcel}` }, ...around])
}

interface Finding {
  readonly code: string
  readonly severity: string
  readonly line?: number
  readonly message: string
}

/** Returns what mining reads of all runs of a store. */
async function shapesIn(options: WorldOptions & { readonly folder: string }): Promise<NonNullable<ReturnType<typeof readIn>>[]> {
  await reflex(['learn', 'snapshot', '--dry'], options)
  const place = join(options.folder, '.reflex/shapes')
  const names = existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.shape')) : []
  return names.flatMap((name) => readIn(readFileSync(join(place, name), 'utf8')) ?? [])
}

describe('a transcript', () => {
  test.each(readdirSync(CASES))('%s', async (name) => {
    await expect(`${JSON.stringify(await imported(name), null, 2)}\n`).toMatchFileSnapshot(join(CASES, name, GOLDEN))
  })

  test('counts once, however often it is imported', async () => {
    const options = world()
    cpSync(join(CASES, 'openai/talk.json'), join(options.folder, 'talk.json'))
    await reflex(['learn', 'import', 'talk.json'], options)
    const { out } = await reflex(['learn', 'import', 'talk.json', '--json'], options)
    expect(JSON.parse(out)).toMatchObject({ runs: [{ calls: 2, known: true }] })
    expect(await shapesIn(options)).toHaveLength(1)
  })

  test('of a session that continued replaces what was imported of it', async () => {
    const options = world()
    const text = readFileSync(join(CASES, 'claude-code/session.jsonl'), 'utf8')
    for (const [lines, calls, known] of [
      [5, 1, false],
      [6, 2, false],
      [6, 2, true],
    ] as const) {
      writeFileSync(join(options.folder, 'session.jsonl'), text.split('\n').slice(0, lines).join('\n'))
      const { out } = await reflex(['learn', 'import', 'session.jsonl', '--json'], options)
      expect(JSON.parse(out)).toMatchObject({ runs: [{ calls, known }] })
    }
    expect(await shapesIn(options)).toHaveLength(1)
  })

  test('is an ended run: listed, shown, traced, compared, exported and mined, and replayed without a difference', async () => {
    const { options, run } = await talk('anthropic/talk.json')
    expect(JSON.parse((await reflex(['runs', '--json'], options)).out)).toMatchObject({ runs: [{ id: run, status: 'completed' }] })
    expect((await reflex(['show', run], options)).out).toContain('imported.anthropic')
    const trace = await reflex(['trace', run], options)
    expect(trace.out).toContain('imported from talk.json; Reflex performed nothing of it')
    expect(trace.out).toContain('payments.refund has failed: declined')
    expect(await reflex(['replay', run], options)).toMatchObject({ code: 0, out: expect.stringContaining('records equal') as string })
    expect(await reflex(['diff', run, run], options)).toMatchObject({ code: 0 })
    expect(await reflex(['why', run, '@10'], options)).toMatchObject({ code: 0 })
    expect(await reflex(['export', run, '-o', 'run.jsonl'], options)).toMatchObject({ code: 0 })
    expect(await reflex(['import', 'run.jsonl', '--id', 'again'], options)).toMatchObject({ code: 0 })
    expect((await shapesIn(options)).map(({ leaves }) => leaves.length)).toEqual([2, 2])
  })

  test('is left alone by workers and by the doctor, and is not resumed; a fork of it waits for its agent', async () => {
    const { options, run } = await talk('openai/talk.json')
    expect(await reflex(['resume', run], options)).toMatchObject({ code: 1, err: expect.stringContaining('R2001') as string })
    expect((await reflex(['worker', '--once', '--json'], options)).out).not.toContain(run)
    expect((await reflex(['doctor', '--json'], options)).out).not.toContain(run)
    const forked = await reflex(['fork', `${run}@8`, '--id', 'other'], options)
    expect(forked).toMatchObject({ code: 0 })
    expect(await reflex(['resume', 'other'], options)).toMatchObject({ code: 1, err: expect.stringContaining('R1480') as string })
  })

  test('has no secrets of this environment when it is kept', async () => {
    const options = world()
    const text = readFileSync(join(CASES, 'openai/talk.json'), 'utf8').replaceAll('P-7', 'sk-0123456789abcdef')
    writeFileSync(join(options.folder, 'talk.json'), text)
    await reflex(['learn', 'import', 'talk.json'], { ...options, environment: { SHOP_API_KEY: 'sk-0123456789abcdef' } })
    const [kept] = await shapesIn(options)
    expect(kept?.leaves).toHaveLength(2)
    expect(JSON.stringify(kept)).not.toContain('sk-0123456789abcdef')
    expect(JSON.stringify(kept)).toContain('‹secret ')
  })

  test('is read as the format that is named, and other files are imported beside a broken one', async () => {
    const options = world()
    cpSync(join(CASES, 'openai/talk.json'), join(options.folder, 'talk.json'))
    cpSync(join(CASES, 'broken-json/talk.json'), join(options.folder, 'broken.json'))
    const { code, out } = await reflex(['learn', 'import', 'broken.json', 'nothing.json', 'talk.json', '--json'], options)
    expect({ code, document: JSON.parse(out) as unknown }).toMatchObject({
      code: 1,
      document: { runs: [{ file: 'talk.json' }], findings: [{ code: 'R1488', file: 'broken.json', line: 2 }, { code: 'R1021' }] },
    })
    const other = await reflex(['learn', 'import', 'talk.json', '--format', 'swe-agent'], options)
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('trajectory') as string })
  })

  test('proposes no skill, whatever its texts and calls look like, and replays with odd names and values', async () => {
    const options = world()
    const calls = ['use_skill', '~r.x', '__proto__'].map((name, i) => ({
      id: `c${i}`,
      function: { name, arguments: '{"__proto__":{"skill_ref":"x"},"text":"\\ud800"}' },
    }))
    const content = '<USE_SKILL>{"skill_ref":"x","inputs":{}}</USE_SKILL>'
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content }))
    const messages = [{ role: 'user', content }, { role: 'assistant', content, tool_calls: calls }, ...results]
    writeFileSync(join(options.folder, 'odd.json'), JSON.stringify(messages))
    const { out } = await reflex(['learn', 'import', 'odd.json', '--json'], options)
    const { runs } = JSON.parse(out) as { readonly runs: readonly { readonly run: string; readonly calls: number }[] }
    expect(runs).toMatchObject([{ calls: 3 }])
    const trace = await reflex(['trace', runs[0]?.run ?? '', '--json'], options)
    expect(trace.out).not.toContain('hidden_rounds": 1')
    expect(trace.out).not.toContain('proposes')
    expect(await reflex(['replay', runs[0]?.run ?? ''], options)).toMatchObject({ code: 0 })
  })

  test('on a damaged first line is reported there, and the other lines are imported', async () => {
    const options = world()
    const [, second = ''] = readFileSync(join(CASES, 'openai-lines/talks.jsonl'), 'utf8').split('\n')
    writeFileSync(join(options.folder, 'talks.jsonl'), ['{"messages": [', second, second].join('\n'))
    const { code, out } = await reflex(['learn', 'import', 'talks.jsonl', '--json'], options)
    expect({ code, document: JSON.parse(out) as unknown }).toMatchObject({
      code: 0,
      document: { runs: [{ known: false }, { known: true }], findings: [{ code: 'R1489', line: 1 }] },
    })
  })

  test('gives the same report whether it was imported before or after a snapshot, and in any order', async () => {
    const files = Array.from({ length: 12 }, (_, i) => [`talk${i}.json`, refund(`P-${i}`, i)] as const)
    const reports: unknown[] = []
    for (const [order, isSteady] of [
      [files, true],
      [[...files].reverse(), true],
      [[...files].reverse(), false],
    ] as const) {
      const options = world()
      for (const [name, text] of order) {
        writeFileSync(join(options.folder, name), text)
        await reflex(['learn', 'import', name, '--quiet'], options)
        if (isSteady) await reflex(['learn', 'snapshot', '--dry', '--quiet'], options)
      }
      const { shapes: _, ...report } = JSON.parse((await reflex(['learn', 'snapshot', '--dry', '--json'], options)).out) as Fields
      reports.push(report)
    }
    expect(reports[0]).toMatchObject({ runs: 12, calls: 36, drafts: [{ id: expect.any(String) as string }] })
    expect(reports.slice(1)).toEqual([reports[0], reports[0]])
  })

  test('with a thousand mistakes has a hundred findings, and says how many more', async () => {
    const options = world()
    const lines = ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}', ...Array.from({ length: 1000 }, () => '{')]
    writeFileSync(join(options.folder, 'session.jsonl'), lines.join('\n'))
    const { findings } = JSON.parse((await reflex(['learn', 'import', 'session.jsonl', '--json'], options)).out) as { findings: Finding[] }
    expect(findings).toHaveLength(101)
    expect(findings.at(-1)?.message).toContain('901 more findings')
  })
})
