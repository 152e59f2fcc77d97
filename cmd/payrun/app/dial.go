package app

import (
	"fmt"
	"net/url"

	"payrun/submitter/bankapi"
)

// dial returns a client of the configured bank. It does not connect yet.
func (a *App) dial(call Call) (*bankapi.Client, error) {
	set := a.set
	if set.BaseURL == "" {
		return nil, Fail(Usage, "base_url is not set").Then(Say("set it in payrun.toml, or PAYRUN_BASE_URL"))
	}
	access, secret, err := set.Keys(a.env.Getenv)
	if err != nil {
		return nil, err
	}
	roots, err := set.Authorities()
	if err != nil {
		return nil, err
	}
	client, err := bankapi.New(bankapi.Config{
		RootCAs: roots, Proxy: a.proxy(call),
		BaseURL: set.BaseURL, IDURL: set.IDURL, LinkingURL: set.LinkingURL,
		AccessKey: access, SecretKey: secret,
		AmountField: set.RequestFields.Amount, DebitAccountField: set.RequestFields.DebitAccount,
		TimeoutRead: set.HTTP.TimeoutRead.Std(), TimeoutSend: set.HTTP.TimeoutSend.Std(),
		RequestsPerSecond: float64(set.Limits.RequestsPerSecond),
	})
	if err != nil {
		return nil, Fail(Usage, "%v", err).Because(err)
	}
	return client, nil
}

// proxy is http.proxy, or nil. One that only the environment names is not used,
// which is said: a company's network may let nothing out without it.
func (a *App) proxy(call Call) *url.URL {
	if a.set.HTTP.Proxy == "" {
		for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
			if a.env.Getenv(name) != "" {
				call.progress().Warn(fmt.Sprintf("%s is set and not used: a proxy is named by http.proxy in payrun.toml alone", name))
				break
			}
		}
		return nil
	}
	u, _ := url.Parse(a.set.HTTP.Proxy) // looked at when payrun.toml was read
	return u
}
