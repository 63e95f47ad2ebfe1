/** Words in a variable name that mark its value as a secret. */
const SECRET_WORDS = new Set([
  'KEY',
  'APIKEY',
  'TOKEN',
  'SECRET',
  'PASS',
  'PASSWORD',
  'PASSWD',
  'PASSPHRASE',
  'PGPASSWORD',
  'CREDENTIAL',
  'CREDENTIALS',
  'PAT',
  'JWT',
  'BEARER',
  'MNEMONIC',
  'WEBHOOK',
  'DBPASS',
])
/** Endings of joined words, such as `GITHUBTOKEN`. */
const SECRET_WORD_END = /(?:PASSWORD|PASSWD|PASSPHRASE|TOKEN|SECRET|CREDENTIALS|(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION)KEY)$/
/** Words that mark a secret at the end of a name, after other words: `PWD` is a folder, `MYSQL_PWD` a password. */
const SECRET_LAST_WORDS = new Set(['PWD', 'AUTH'])
/** The least characters of a secret: a shorter text may occur anywhere by chance. */
export const MIN_LENGTH = 8

/**
 * Returns the secrets of an environment: the values of variables whose names mark a secret (`OPENAI_API_KEY`, `DB_PASSWORD`).
 * The path of a file with a secret is not a secret: a value counts as a path if it looks like one and `isPath` confirms that it
 * exists, because a base64 key may begin with a slash.
 */
export function secretsIn(
  environment: Readonly<Record<string, string | undefined>>,
  isPath: (value: string) => boolean = () => false,
): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return []
    const secret = value.length >= MIN_LENGTH && !(/^[/~.]/.test(value) && isPath(value)) && isSecretName(name)
    return [...(secret ? [value, ...longLines(value)] : []), ...secretsInAddress(value), ...secretsInSettings(value)]
  })
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((word) => word !== '')
  return (
    words.some((word) => SECRET_WORDS.has(word) || SECRET_WORD_END.test(word)) ||
    (words.length > 1 && SECRET_LAST_WORDS.has(words.at(-1) ?? ''))
  )
}

/** Returns the texts by which a secret is found again: the whole, the lines of a key, the password of an address, the values of settings. */
export function secretTexts(secret: string): readonly string[] {
  return [secret, ...longLines(secret), ...secretsInAddress(secret), ...secretsInSettings(secret)]
}

/** Returns the long lines of a key: programs print a key line by line, so each line is a secret. */
function longLines(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim())
  return lines.length < 2 ? [] : lines.filter((line) => line.length >= TOKEN_LENGTH && !line.startsWith('-----'))
}

/**
 * Returns the secrets in a text with settings, such as `AccountName=ana;AccountKey=…`: the whole text, and each value whose
 * name marks a secret.
 */
function secretsInSettings(value: string): readonly string[] {
  const found = value.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    return at > 0 && (isSecretName(name) || /^pwd$/i.test(name)) ? [pair.slice(at + 1).trim()] : []
  })
  return value.includes(';') && found.length > 0 ? [value, ...found] : []
}

/** A user without a password is a name, unless it is as long as a token. */
const TOKEN_LENGTH = 20

/**
 * Returns the secrets in an address such as `postgres://ana:hunter2@host/db?password=…`, for any name of its variable: the address
 * as a whole, its password, and parameters whose names mark a secret, each as written and decoded.
 */
function secretsInAddress(value: string): readonly string[] {
  const [, rest] = /^(?:jdbc:)?[a-z][a-z0-9+.-]*:\/\/([^]*)$/i.exec(value) ?? []
  if (rest === undefined) return []
  const authority = rest.split(/[/?#]/, 1)[0] ?? ''
  const login = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  const colon = login.indexOf(':')
  const password = colon >= 0 ? login.slice(colon + 1) : login.length >= TOKEN_LENGTH ? login : ''
  const query = rest.slice(rest.indexOf('?') + 1 || rest.length).split('#', 1)[0] ?? ''
  const given = query.split('&').flatMap((pair) => (isSecretName(pair.split('=', 1)[0] ?? '') ? [pair.slice(pair.indexOf('=') + 1)] : []))
  const found = [password, ...given].filter((text) => text !== '')
  // A password that is too short to search for alone is searched for together with its user.
  return found.length === 0 ? [] : [value, ...(colon > 0 ? [login] : []), ...found.flatMap((text) => [text, decoded(text)])]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
