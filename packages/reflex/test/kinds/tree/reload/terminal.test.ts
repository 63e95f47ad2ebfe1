import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { screenOf } from '../../../cli/screen.ts'
import { workFolder } from '../../../cli/worlds.ts'

const TERMINAL = join(import.meta.dirname, '../../../cli/terminal.py')
const BIN = join(import.meta.dirname, '../../../../bin/reflex.js')
const { NO_COLOR: _, FORCE_COLOR: __, COLUMNS: ___, ...outside } = process.env
const hasPython = spawnSync('python3', ['--version']).status === 0

const TREE = `return BT.tree("deploy", {
  blackboard = { tries = { type = "int", default = 0 } },
  root = BT.selector({ id = "root" }, {
    BT.condition("calm", { condition = "ctx.event == nil or ctx.event.errors < 0.1" }),
    BT.sequence({ id = "recover" }, {
      BT.set("tries", "bb.tries + 1"),
      BT.wait(600000, { id = "settle" }),
    }),
  }),
})
`

type Item = readonly [wait: string, keys: string, ...saved: (readonly [file: string, content: string])[]]

/** Runs a command in a pseudo terminal. Returns what stands on it at the end, with its colours and without. */
function terminal(
  folder: string,
  script: readonly Item[],
  ...argv: readonly string[]
): { code: number | null; screen: string; raw: string } {
  const { status, stdout } = spawnSync('python3', [TERMINAL, '80', JSON.stringify(script), process.execPath, BIN, ...argv], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...outside, HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
  })
  return { code: status, raw: stdout, screen: screenOf(stdout.replace(/\u001b\[[0-9;]*m/g, ''), 80) }
}

describe.skipIf(process.platform === 'win32' || !hasPython)('a terminal', () => {
  test('shows the nodes of a watched tree, what a saved version changes and when it comes, and where a wrong one is wrong', () => {
    const folder = workFolder()
    const [file, events] = [join(folder, 'deploy.lua'), join(folder, 'events.jsonl')]
    writeFileSync(file, TREE)
    writeFileSync(events, '{"errors":0.5}\n')
    const longer = TREE.replace('BT.wait(', 'BT.succeed({ id = "note" }),\n      BT.wait(')
    const wrong = longer.replace('BT.succeed', 'BT.sucseed')
    const { code, screen, raw } = terminal(
      folder,
      [
        ['settle', '', [file, longer]],
        ['swaps when this execution has ended', '', [file, wrong]],
        ['fix', 'r'],
        ['reloaded', 'q'],
      ],
      'watch',
      'deploy.lua',
      '--id',
      'otter',
      '--events',
      'events.jsonl',
    )
    expect([code, screen]).toEqual([75, expect.any(String)])
    const lines = screen.split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        '  ·               event {"errors":0.5}',
        '  !               saved: + note, ~ recover; swaps when this execution has ended',
        '  !               saved with errors; the run keeps its version: R1202',
        '  unknown node type "sucseed"; did you mean "succeed"?',
        '  !               reloaded: + note, ~ recover',
      ]),
    )
    // Running nodes are cyan, failed ones red.
    expect(raw).toContain('\u001b[36m●\u001b[39m recover')
    expect(raw).toContain('\u001b[31m✗\u001b[39m calm')
    expect(raw).toMatch(/running · execution 2 · tick 1 · event \{"errors":0\.5\}/)
  })
})
