import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countCells } from '../../src/text/index.ts'
import { elementsOf } from './xml.ts'
import { normal, reflex, workFolder } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)

const BROKEN = `digraph release {
  start [shape=Mdiamond]
  build [prompt="Build" timeout="5m", promt="x"]
  ship [prompt="Ship", simulate="false", timeout="5m"]
  done [shape=Msquare]
  start -> build
  build -> ship [condition="outcome=success or context.score>3"]
  build -> dne
  ship -> done
}
`

/** Branches that meet, loops back, a loop of one node, a question, a call. */
const RELEASE = `digraph release {
  graph [goal="Ship version 2"]
  start [shape=Mdiamond]
  plan [label="Plan the release", prompt="Plan how to reach: $goal", simulate="false", timeout="5m"]
  split [shape=component]
  build [shape=parallelogram, tool_command="make build", timeout="10m"]
  notes [label="Write notes", prompt="Write release notes", simulate="false", timeout="5m"]
  join [shape=tripleoctagon]
  check [shape=diamond]
  ask [shape=hexagon, label="Ship it?"]
  child [type="graph.invoke", program="workflow:identity", timeout="10m"]
  done [shape=Msquare]
  start -> plan -> split
  split -> build -> join
  split -> notes -> join -> check
  build -> build [condition="context.flaky=true", label="Once more"]
  check -> ask [condition="outcome=success"]
  check -> plan [condition="outcome=fail", label="Again"]
  check -> done
  ask -> child [label="[Y] Yes"]
  ask -> plan [label="[N] Not yet"]
  child -> done
}
`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = workFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('validate', () => {
  test.each([80, 40])('prints findings of pipelines and workflows together at %i columns', async (columns) => {
    const folder = folderWith({ 'broken.dot': BROKEN, 'fine.gv': RELEASE })
    const looks: string[] = []
    for (const argv of [
      ['validate', 'broken.dot', 'payouts.workflow.json'],
      ['validate', 'fine.gv'],
      ['validate', 'broken.dot', '--verbose'],
      ['explain', 'start_node'],
    ]) {
      const { screen, code } = await reflex(argv, { folder, columns })
      expect(screen.split('\n').filter((line) => countCells(line) > columns)).toEqual([])
      looks.push(`$ reflex ${argv.join(' ')}\n${screen}\nexit ${code}`)
    }
    await expect(`${normal(looks.join('\n\n'))}\n`).toMatchFileSnapshot(golden(`pipeline-validate-${columns}`))
  })

  test('counts notes, and lists them in documents', async () => {
    const folder = folderWith({ 'fine.dot': RELEASE })
    const { out, code } = await reflex(['validate', 'fine.dot', '--json'], { folder })
    const { files, errors, warnings, infos } = JSON.parse(out) as {
      files: { valid: boolean; findings: { severity: string; code: string; rule: string; line: number }[] }[]
      errors: number
      warnings: number
      infos: number
    }
    expect([code, files[0]?.valid, errors, warnings]).toEqual([0, true, 0, 0])
    expect(files[0]?.findings).toHaveLength(infos)
    expect(files[0]?.findings[0]).toMatchObject({ severity: 'info', code: 'R1140', rule: 'capabilities_required', line: 1 })
  })

  test('a folder stands for its pipelines too', async () => {
    const folder = folderWith({ 'a.dot': RELEASE, 'b.gv': BROKEN.replace('digraph release', 'digraph b') })
    const { out, code } = await reflex(['validate', '.', '--json'], { folder })
    const { files } = JSON.parse(out) as { files: { file: string }[] }
    expect(code).toBe(1)
    expect(files.map(({ file }) => file).filter((file) => !file.endsWith('.json'))).toEqual(['a.dot', 'b.gv'])
  })
})

describe('graph', () => {
  test.each([80, 40])('draws a pipeline at %i columns', async (columns) => {
    const { screen } = await reflex(['graph', 'release.dot', '--no-color'], { folder: folderWith({ 'release.dot': RELEASE }), columns })
    expect(screen.split('\n').filter((line) => countCells(line) > columns)).toEqual([])
    await expect(`${normal(screen)}\n`).toMatchFileSnapshot(golden(`pipeline-graph-${columns}`))
  })

  test('begins at the start, and draws edges that lead back upwards', async () => {
    const { screen } = await reflex(['graph', 'release.dot', '--no-color'], {
      folder: folderWith({ 'release.dot': RELEASE }),
      columns: 100,
    })
    const line = (text: string): number => screen.split('\n').findIndex((one) => one.includes(text))
    const order = ['│ start │', 'Plan the release', 'split', 'join', 'check', 'Ship it?', 'child', 'done']
    expect(order.map(line)).toEqual(order.map(line).toSorted((a, b) => a - b))
    expect(order.map(line)).not.toContain(-1)
    expect(screen).toContain('▲')
    expect(screen).toContain('↺ Once more')
  })

  test('draws every node and edge in an image', async () => {
    const { out } = await reflex(['graph', 'release.dot', '--svg', '-'], { folder: folderWith({ 'release.dot': RELEASE }) })
    const groups = elementsOf(out).filter(({ attributes }) => attributes['class']?.startsWith('node ') === true)
    expect(groups).toHaveLength(10)
  })

  test('prints the errors of an invalid pipeline', async () => {
    const { err, code } = await reflex(['graph', 'broken.dot'], { folder: folderWith({ 'broken.dot': BROKEN }) })
    expect(code).toBe(1)
    expect(err).toContain('R1108 (condition_syntax)')
  })
})
