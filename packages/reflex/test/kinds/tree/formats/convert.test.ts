import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readJsonTree } from '../../../../src/kinds/tree/formats/json.ts'
import { readXmlTree } from '../../../../src/kinds/tree/formats/xml/read-xml.ts'
import { reflex, workFolder } from '../../../cli/worlds.ts'
import { withoutPlaces } from './fixtures.ts'

const LUA = `return BT.tree("patrol", {
  root = BT.selector({
    BT.sequence({ BT.condition("charged", { condition = "bb.battery >= 20" }), BT.action("go", { fn = "MoveTo", inputs = { goal = "room" } }) }, { id = "walk" }),
    BT.retry(2, BT.set("battery", { id = "load", value = 100 }), { id = "again" }),
  }, { id = "top" }),
})
`
const SCRIPTED = 'return BT.tree("scripted", { root = BT.script("s", { file = "step.lua" }) })\n'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = workFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

test('a loop of XML over a list of its own, and a Precondition, run as BehaviorTree.CPP has them', async () => {
  const text = `<root BTCPP_format="4"><BehaviorTree ID="sums"><Sequence>
    <Script code="sum := 0"/>
    <LoopDouble queue="1;2;3.5" value="{v}"><Script code="sum += v"/></LoopDouble>
    <Precondition if="sum == 0" else="SKIPPED"><AlwaysFailure/></Precondition>
    <Precondition if="sum == 0" else="SUCCESS"><AlwaysFailure/></Precondition>
    <ScriptCondition code="sum == 6.5"/>
  </Sequence></BehaviorTree></root>`
  const folder = folderWith({ 'sums.xml': text })
  expect(await reflex(['run', 'sums.xml', '--json'], { folder })).toMatchObject({
    code: 0,
    out: expect.stringContaining('"sum": 6.5') as string,
  })
})

describe('reflex fmt --to', () => {
  test('prints a tree of Lua as JSON and as XML, which read as the same tree', async () => {
    const folder = folderWith({ 'patrol.lua': LUA })
    const json = await reflex(['fmt', 'patrol.lua', '--to', 'json'], { folder })
    const xml = await reflex(['fmt', 'patrol.lua', '--to', 'xml'], { folder })
    expect([json.code, xml.code, json.err, xml.err]).toEqual([0, 0, '', ''])
    expect(xml.out).toContain('<Action ID="MoveTo"')
    expect(xml.out).toContain('<TreeNodesModel>')
    writeFileSync(join(folder, 'patrol.tree.json'), json.out)
    writeFileSync(join(folder, 'patrol.xml'), xml.out)
    const fromJson = readJsonTree(json.out).source
    const fromXml = readXmlTree(xml.out).source
    if (fromJson === undefined || fromXml === undefined) throw new Error('a text was not read')
    expect(withoutPlaces(fromXml).root).toEqual(withoutPlaces(fromJson).root)
    // What was printed has the standard form, and says the same in every form.
    for (const [file, form, text] of [
      ['patrol.tree.json', 'json', json.out],
      ['patrol.tree.json', 'xml', xml.out],
      ['patrol.xml', 'xml', xml.out],
    ] as const)
      expect(await reflex(['fmt', file, '--to', form], { folder })).toMatchObject({ code: 0, out: text })
    expect(await reflex(['fmt', '--check', 'patrol.tree.json', 'patrol.xml'], { folder })).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'patrol.lua'), 'utf8')).toBe(LUA)
  })

  test('keeps script files as files, and reads standard input', async () => {
    const folder = folderWith({ 'scripted.lua': SCRIPTED })
    const { out } = await reflex(['fmt', 'scripted.lua', '--to', 'json'], { folder })
    expect(readJsonTree(out).source?.root.params).toEqual({ file: 'step.lua' })
    expect(await reflex(['fmt', '-', '--to', 'json'], { folder, input: SCRIPTED })).toMatchObject({ code: 0, out })
  })

  test.each([
    [['fmt', 'patrol.lua', '--to', 'dot'], 2, 'write --to json or --to xml'],
    [['fmt', 'patrol.lua', 'scripted.lua', '--to', 'xml'], 2, 'prints one program'],
    [['fmt', '.', '--to', 'xml'], 2, 'and not a folder'],
    [['fmt', 'triage.workflow.json', '--to', 'xml'], 2, 'have one form'],
    [['fmt', 'scripted.lua', '--to', 'xml'], 1, 'BehaviorTree.CPP has no script'],
    [['fmt', 'broken.xml', '--to', 'json'], 1, 'the text is not XML'],
  ])('%j is refused by name, and prints nothing', async (words, code, message) => {
    const folder = folderWith({
      'patrol.lua': LUA,
      'scripted.lua': SCRIPTED,
      'broken.xml': '<root BTCPP_format="4"><a></root>',
      'triage.workflow.json': '{}',
    })
    const ended = await reflex(words, { folder })
    expect([ended.code, ended.out]).toEqual([code, ''])
    expect(ended.err.replace(/\s+/g, ' ')).toContain(message)
  })
})
