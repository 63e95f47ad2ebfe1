import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kindPage, wordsOf } from './page.ts'

const command = resolve(import.meta.dirname, '../../bin/reflex.js')

describe.each(['skill-openai', 'skill-anthropic'])('the page %s', (name) => {
  const page = kindPage(name)
  const { blocks } = page

  /** Runs a program of the page, or a command, with a home of its own. */
  function node(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
    const { folder } = page
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: folder }
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', input: '', env })
    return { status, stdout, stderr }
  }

  test('its programs print what it says, and its commands show the turn', { timeout: 600_000 }, () => {
    for (const { file, text } of blocks) {
      const [, said] = /^console\.log\(.*\) +\/\/ (.+)$/m.exec(text) ?? []
      if (file !== undefined && said !== undefined)
        expect({ file, ...node(file) }).toEqual({ file, status: 0, stdout: `${said}\n`, stderr: '' })
    }
    const commands = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trimEnd().split('\n'))
    const shown = commands.map((line) => {
      const { stdout, ...ended } = node(command, ...wordsOf(line.replace(/^npx reflex /, '')))
      expect({ line, ...ended }).toEqual({ line, status: 0, stderr: '' })
      return stdout
    })
    expect(shown.join()).toContain('the agent calls a tool')
    expect(shown.join()).toContain('0 effects')
  })
})
