import { join, resolve } from 'node:path'
import { plainText } from '../git/ref-state.ts'

/** Returns the folder of hooks that the settings of a repository name, where it is another than git's own. */
export function hooksFolders(root: string): readonly string[] {
  const text = plainText(join(root, '.git', 'config'), 1_000_000) ?? ''
  const found = [...text.matchAll(/^[ \t]*hookspath[ \t]*=[ \t]*"?([^"\r\n#;]+)/gim)].flatMap(([, path = '']) =>
    path.trim() === '' ? [] : [resolve(root, path.trim())],
  )
  return [...new Set(found)].filter((path) => path !== root)
}
