// signin.tsx: the page that asks for an access key, and the button that forgets it.
import { useState } from 'react'
import { session, start, useSession } from './session'
import { canSign, signedIn, signIn, signOut } from './sign'
import { Button, Field } from './ui'

export function SignIn(props: { trouble: string }) {
  const [id, setId] = useState('')
  const [secret, setSecret] = useState('')
  const [token, setToken] = useState('')
  const [busy, setBusy] = useState(false)
  const enter = async (e: React.FormEvent) => {
    e.preventDefault()
    setBusy(true)
    session.set({ refused: '', failed: null }) // of the attempt before
    signIn({ id: id.trim(), secret: secret.trim(), ...(token.trim() ? { token: token.trim() } : {}) })
    await start()
    setBusy(false)
  }
  if (!canSign()) {
    return (
      <div className="empty">
        <h3>Signing in needs https</h3>
        <p>This server asks for an access key, and browsers sign with one only on pages that came over https or from this computer.</p>
      </div>
    )
  }
  return (
    <form className="signin column" aria-label="Sign in" onSubmit={(e) => void enter(e)}>
      <h2>Sign in</h2>
      <p className="soft">With an access key of the server’s credentials file. The secret stays in this tab: requests are signed with it, and it is never sent.</p>
      <Field label="Access key">{(i) => <input id={i} className="input mono" value={id} onChange={(e) => setId(e.target.value)} autoFocus autoComplete="username" spellCheck={false} required />}</Field>
      <Field label="Secret">{(i) => <input id={i} className="input mono" type="password" value={secret} onChange={(e) => setSecret(e.target.value)} autoComplete="current-password" required />}</Field>
      <Field label="Session token" hint="only for a key that has one">{(i) => <input id={i} className="input mono" value={token} onChange={(e) => setToken(e.target.value)} autoComplete="off" spellCheck={false} />}</Field>
      {props.trouble ? <p className="trouble" role="alert">{props.trouble}</p> : null}
      <Button look="primary" type="submit" disabled={busy}>Sign in</Button>
    </form>
  )
}

/** Nothing of what was read stays in the tab: the page begins anew. */
export function SignOutButton() {
  const info = useSession((s) => s.info)
  const failed = useSession((s) => s.failed)
  const key = signedIn()
  if ((!info && !failed) || !key) return null
  return <Button look="quiet" small title={`Signed in with ${key.id}`} onClick={() => { signOut(); location.reload() }}>Sign out</Button>
}
