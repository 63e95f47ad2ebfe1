import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Imports a case by the command, and returns its document and what mining will read. */
async function imported(name: string): Promise<object> {
  const options = world()
  const [file = ''] = readdirSync(join(CASES, name)).filter((one) => one !== GOLDEN)
  cpSync(join(CASES, name, file), join(options.folder, file))
  const { code, out } = await reflex(['learn', 'import', file, '--json'], options)
  const { runs, findings } = JSON.parse(out) as {
    readonly runs: readonly { readonly run: string }[]
    readonly findings: readonly Finding[]
  }
  const shapes = shapesIn(options.folder)
  return {
    code,
    runs: runs.map(({ run, ...facts }) => {
      const { shape, leaves } = shapes.find((one) => one.shape.run === run) ?? {}
      return { ...facts, shape: { ...shape, run: 0 }, leaves }
    }),
    findings: findings.map(({ code: fault, severity, line, message }) => ({ code: fault, severity, line, message })),
  }
}

interface Finding {
  readonly code: string
  readonly severity: string
  readonly line?: number
  readonly message: string
}

function shapesIn(folder: string): NonNullable<ReturnType<typeof readIn>>[] {
  const place = join(folder, '.reflex/shapes/imported')
  let names: readonly string[] = []
  try {
    names = readdirSync(place)
  } catch {
    // Nothing was imported.
  }
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
    expect(shapesIn(options.folder)).toHaveLength(1)
  })

  test('of a session that continued replaces what was imported of it', async () => {
    const options = world()
    const text = readFileSync(join(CASES, 'claude-code/session.jsonl'), 'utf8')
    for (const [lines, calls, known] of [
      [7, 2, false],
      [11, 3, false],
      [11, 3, true],
    ] as const) {
      writeFileSync(join(options.folder, 'session.jsonl'), text.split('\n').slice(0, lines).join('\n'))
      const { out } = await reflex(['learn', 'import', 'session.jsonl', '--json'], options)
      expect(JSON.parse(out)).toMatchObject({ runs: [{ calls, known }] })
    }
    expect(shapesIn(options.folder)).toHaveLength(1)
  })

  test('is no run: it cannot be resumed, and it is in no list', async () => {
    const options = world()
    cpSync(join(CASES, 'openai/talk.json'), join(options.folder, 'talk.json'))
    const { out } = await reflex(['learn', 'import', 'talk.json', '--json'], options)
    const [{ run }] = (JSON.parse(out) as { runs: [{ run: string }] }).runs
    expect(await reflex(['resume', run], options)).toMatchObject({ code: 2 })
    expect((await reflex(['runs', '--json'], options)).out).toContain('"runs": []')
    expect(JSON.parse((await reflex(['learn', 'snapshot', '--json'], options)).out)).toMatchObject({ runs: 1, calls: 2 })
  })

  test('has no secrets of this environment when it is kept', async () => {
    const options = world()
    const text = readFileSync(join(CASES, 'openai/talk.json'), 'utf8').replaceAll('P-7', 'sk-0123456789abcdef')
    writeFileSync(join(options.folder, 'talk.json'), text)
    await reflex(['learn', 'import', 'talk.json'], { ...options, environment: { SHOP_API_KEY: 'sk-0123456789abcdef' } })
    const [kept] = shapesIn(options.folder)
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

  test('with a thousand mistakes has a hundred findings, and says how many more', async () => {
    const options = world()
    const lines = ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}', ...Array.from({ length: 1000 }, () => '{')]
    writeFileSync(join(options.folder, 'session.jsonl'), lines.join('\n'))
    const { findings } = JSON.parse((await reflex(['learn', 'import', 'session.jsonl', '--json'], options)).out) as { findings: Finding[] }
    expect(findings).toHaveLength(101)
    expect(findings.at(-1)?.message).toContain('901 more findings')
  })
})
