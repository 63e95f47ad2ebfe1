import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { actions } from '../../src/cli/actions.ts'
import { SCRIPTS } from '../../src/cli/completion/scripts.ts'
import { screenOf } from './screen.ts'
import { reflex, workFolder } from './worlds.ts'

const BIN = join(import.meta.dirname, '../../bin/reflex.js')

/** The words that are offered for the last of these. */
async function offered(words: readonly string[], folder = workFolder(), environment: Record<string, string> = {}): Promise<string[]> {
  const { code, out, err } = await reflex(['completion', 'bash', '--', ...words], { folder, environment })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(0, line.indexOf('\t'))]))
}

describe('completion of words', () => {
  test('offers commands with their descriptions', async () => {
    expect(await offered([''])).toEqual([...actions.map(({ name }) => name), 'help', 'version'])
    expect(await offered(['re'])).toEqual(['resume', 'replay'])
    expect(await offered(['help', 'va'])).toEqual(['validate'])
    const { out } = await reflex(['completion', 'fish', '--', 'val'], { folder: workFolder() })
    expect(out).toBe('validate\tfind every error in programs, without a run\n')
  })

  test.each(actions.map((verb) => [verb.name, verb] as const))('offers every option of %s', async (name, { options }) => {
    const long = options.flatMap((option) => option.long ?? [])
    expect(await offered([name, '-'])).toEqual([...long, '--help'])
  })

  test.each([
    [['run', '--trust', 'pro'], ['probationary']],
    [['run', '--trust=pro'], ['--trust=probationary']],
    [['run', '--trust', '=', 'pro'], ['probationary']],
    [
      ['run', '--trust', '='],
      ['untrusted', 'probationary', 'trusted', 'veteran', 'autonomous'],
    ],
    [
      ['run', '--quiet', '--answers', ''],
      ['ask', 'none', 'auto'],
    ],
    [
      ['validate', '--kind', ''],
      ['workflow', 'pipeline', 'tree', 'dataflow', 'skill'],
    ],
    [['schema', 'out'], ['output']],
    [['explain', 'R1042'], ['R1042']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['run', 'ref'], []],
    [['run', '--policy', ''], []],
    [['spoon', ''], []],
    [['runs', ''], []],
  ])('%j → %j', async (words, expected) => {
    expect(await offered(words)).toEqual(expected)
  })
})

describe('completion from a store', () => {
  test('offers runs, open runs, questions and their answers', async () => {
    const folder = workFolder()
    await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'auto'], { folder })
    await reflex(['run', 'refund.workflow.json', '--id', 'lark-9q2m', '--answers', 'none'], { folder })
    expect(await offered(['trace', ''], folder)).toEqual(['lark-9q2m', 'otter-2m9q'])
    expect(await offered(['diff', 'lark', 'o'], folder)).toEqual(['otter-2m9q'])
    expect(await offered(['resume', ''], folder)).toEqual(['lark-9q2m'])
    expect(await offered(['answer', ''], folder)).toEqual(['lark-9q2m'])
    expect(await offered(['answer', 'lark', ''], folder)).toEqual(['YES', 'NO'])
    expect(await offered(['trace', '--store', join(folder, '.reflex/reflex.db'), 'l'], folder)).toEqual(['lark-9q2m'])
  })

  test('offers nothing and creates nothing without a store or with a server', async () => {
    const folder = workFolder()
    expect(await offered(['trace', ''], folder)).toEqual([])
    expect(await offered(['trace', ''], folder, { REFLEX_STORE: 'postgres://nobody@nowhere.invalid/runs' })).toEqual([])
    expect(await offered(['trace', '--store', 'nothing.db', ''], folder)).toEqual([])
  })
})

test('refuses an unknown shell and lists the known ones', async () => {
  const { code, out, err } = await reflex(['completion', 'bahs'], { folder: workFolder() })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('did you mean "bash"?')
  expect(err).toContain('bash, zsh, fish')
})

test.each(Object.entries(SCRIPTS))('the script for %s calls the command', async (shell, script) => {
  const { code, out } = await reflex(['completion', shell], { folder: workFolder() })
  expect({ code, out }).toEqual({ code: 0, out: script })
  expect(script).toContain(`completion ${shell} -- `)
})

describe.runIf(process.platform === 'linux')('in a real bash', () => {
  /** A terminal in which a person types, with the tab key at the end of each line. */
  function typed(keys: string, wait: string): string {
    const here = workFolder()
    symlinkSync(BIN, join(here, 'reflex'))
    writeFileSync(join(here, 'rc'), `${SCRIPTS.bash}PS1='ready> '\n`)
    const script = [
      ['ready> ', keys],
      [wait, '\u0003'],
      ['ready> ', 'exit 0\r'],
    ]
    const { stdout } = spawnSync(
      'python3',
      [join(import.meta.dirname, 'terminal.py'), '80', JSON.stringify(script), 'bash', '--rcfile', 'rc', '-i'],
      {
        cwd: here,
        encoding: 'utf8',
        env: { PATH: `${here}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: here, TERM: 'dumb' },
      },
    )
    return screenOf(stdout, 80)
  }

  test('completes commands, options, values and files', () => {
    expect(typed('reflex vali\t', 'date ')).toContain('ready> reflex validate ')
    expect(typed('reflex run --trust=pro\t', 'bationary ')).toContain('reflex run --trust=probationary ')
    expect(typed('reflex run refund.work\t', 'flow.json')).toContain('reflex run refund.workflow.json')
  })
})
