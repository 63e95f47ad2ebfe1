import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { kindPage } from './page.ts'

/** The programs of each page of an adapter. */
const PAGES = { 'skill-openai-agents': ['app.ts'], 'skill-langchain': ['app.ts', 'named.ts'], 'skill-langgraph': ['app.ts'] } as const

describe.each(Object.entries(PAGES))('the page %s', (name, programs) => {
  const page = kindPage(name)

  test.each(programs)('%s prints what it says', { timeout: 120_000 }, (program) => {
    const text = page.blocks.find(({ file }) => file === program)?.text ?? ''
    const said = [...text.matchAll(/^\s*console\.log.* \/\/ (.*)$/gm)].map(([, line]) => line)
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { cwd: page.folder, encoding: 'utf8', input: '' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${said.join('\n')}\n`, stderr: '' })
  })
})
