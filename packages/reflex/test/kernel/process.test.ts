import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/index.ts'
import { ProcessLife } from '../../src/testing/kind-suite/process-life.ts'
import { Watch } from '../../src/testing/kind-suite/watch.ts'
import { SUBJECTS } from './probes/subjects.ts'

const folder = mkdtempSync(join(tmpdir(), 'reflex-lives-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Told {
  readonly n: number
  readonly resumed: boolean
  readonly end: unknown
}

/** One process, from its start to its SIGKILL. */
function life(file: string, subject: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(import.meta.dirname, 'lives.ts'), file, subject], (_, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr))
      else resolve(JSON.parse(stdout) as Told)
    })
  })
}

describe('a run over a SQLite file whose every process is killed', () => {
  it.each(['flow', 'pass', 'plan', 'net', 'talk'])(
    'ends as an undisturbed one: %s',
    async (name) => {
      const subject = SUBJECTS.find((one) => one.name === name)
      if (subject === undefined) throw new Error(name)
      const expected = await new ProcessLife(subject, memoryStore(), new Watch()).runToEnd()
      const file = join(folder, `${name}.db`)
      const lives: Told[] = []
      while (lives.at(-1)?.end === undefined || lives.at(-1)?.end === null) lives.push(await life(file, name))
      expect(lives.at(-1)?.end).toEqual(expected)
      expect(lives.length).toBeGreaterThan(1)
      expect(lives.slice(1).every(({ resumed }) => resumed)).toBe(true)
    },
    30_000,
  )
})
